"""The repositories of reviews: practices, jobs, what they found, feedback, and rows for rates."""
