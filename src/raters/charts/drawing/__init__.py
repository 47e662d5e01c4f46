"""Charts drawn as SVG without a browser's engine, whose start alone costs more than all the figures of a report."""
