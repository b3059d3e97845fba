"""How is a retriever called, wherever it lives?"""
