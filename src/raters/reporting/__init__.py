"""What people see: the report, and renderers of tables of estimates."""
