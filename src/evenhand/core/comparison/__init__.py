"""May two evaluations be compared, and what is the difference?"""
