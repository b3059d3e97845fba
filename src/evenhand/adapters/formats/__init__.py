"""How do files become values, and values files?"""
