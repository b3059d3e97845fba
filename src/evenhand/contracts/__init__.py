"""What does an analytics event promise, and to whom?"""
