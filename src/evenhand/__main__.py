"""``python -m evenhand``: the command line, for where the script is not on the path."""

from evenhand.cli.main import main

if __name__ == "__main__":
    main()
