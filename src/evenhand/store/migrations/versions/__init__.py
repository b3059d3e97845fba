"""The migrations, oldest first. One that belongs to a closed issue is never edited."""
