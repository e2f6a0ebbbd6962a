"""`python -m strandline` is the `strandline` command."""

from strandline.cli.start import main

if __name__ == "__main__":
    main()
