"""How everything looks: theme, icons, painting, forms and small widgets."""
