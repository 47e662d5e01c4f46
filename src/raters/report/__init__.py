"""What people see: renderers of tables of estimates."""
