"""``python -m evenhand``: the command line, for where the script is not on the path."""

import sys

if __name__ == "__main__":
    try:
        from evenhand.cli.main import main
    except KeyboardInterrupt:
        sys.exit(130)
    main()
