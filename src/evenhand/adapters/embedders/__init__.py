"""How do texts become vectors?"""
