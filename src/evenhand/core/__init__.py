"""What is true and what is allowed? Values and decisions, without IO, clock or chance."""
