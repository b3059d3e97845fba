"""Who judged an answer, by which configuration, and what became of it?"""
