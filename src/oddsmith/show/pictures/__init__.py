"""Pictures: said once (`spec`), drawn by matplotlib (`static`) and by plotly (`interactive`)."""
