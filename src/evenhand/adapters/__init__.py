"""How does the outside world reach the ports: files, models, clock, ids?"""
