"""How is a finished evaluation or comparison shown to a reader?"""
