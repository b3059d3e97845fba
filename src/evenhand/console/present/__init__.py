"""What pages show: strings and view values, made of plain values; nothing here knows a request."""
