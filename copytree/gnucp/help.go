package gnucp

// helpText is what --help prints on a terminal of 80 columns.
const helpText = `Usage: sluice cp [OPTION]... [-T] SOURCE DEST
  or:  sluice cp [OPTION]... SOURCE... DIRECTORY
  or:  sluice cp [OPTION]... -t DIRECTORY SOURCE...
Copies as GNU cp does, with the same options, messages and exit status.

What is copied
  -r, -R, --recursive          copy directories, and what is in them
  -a, --archive                the same as -dR --preserve=all
  -x, --one-file-system        stay on the file system of each SOURCE
      --copy-contents          with -r, read from FIFOs and devices, instead of
                                 making new ones
      --attributes-only        copy no data, only attributes
  -l, --link                   make hard links instead of copies
  -s, --symbolic-link          make symbolic links instead of copies

Symbolic links in SOURCE (the last of these counts)
  -P, --no-dereference         copy them as links (default with -r)
  -H                           follow only those that are operands
  -L, --dereference            follow all (default without -r)
  -d                           the same as --no-dereference --preserve=links

Attributes
  -p                           preserve mode, ownership and timestamps
      --preserve[=LIST]        preserve these: mode, ownership, timestamps,
                                 links, context, xattr, all; without LIST the
                                 same as -p
      --no-preserve=LIST       do not preserve these
  -Z, --context[=CTX]          ignored without SELinux, refused with it

Destination
  -t, --target-directory=DIR   copy every SOURCE into DIR
  -T, --no-target-directory    DEST is the copy, even if it is a directory
      --parents                use the full name of each SOURCE under DIRECTORY
      --strip-trailing-slashes remove slashes at the end of each SOURCE

A file that exists at the destination
  -i, --interactive            ask before overwriting (undoes an earlier -n)
  -n, --no-clobber             do not overwrite it (undoes an earlier -i)
  -u, --update[=WHICH]         overwrite all, none, none-fail (and fail), or
                                 older files (default of -u)
  -f, --force                  if it cannot be opened, remove it and try again
      --remove-destination     remove it before the copy
  -b, --backup[=CONTROL]       rename it: none (off), numbered (t), existing
                                 (nil), simple (never); -b takes no argument;
                                 default: $VERSION_CONTROL, or existing
  -S, --suffix=SUFFIX          suffix of simple backups; default:
                                 $SIMPLE_BACKUP_SUFFIX, or ~

How data is copied
      --reflink[=WHEN]         share it: auto (default), always (default of
                                 --reflink alone), never
      --sparse=WHEN            make holes: auto (default, as in the source),
                                 always (for zeros), never
      --block-size=SIZE        bytes to read and write at once, as in 256k
      --concurrency=N          files to copy at once (default: automatic)

Safety
      --sync[=fs|files]        make the copy durable before the end: by one
                                 syncfs (default) or an fsync of each file
      --verify                 read each copy back and compare it
      --resume                 go on with a copy: skip files that have the size
                                 and time of their source (and its mode and
                                 owner, if preserved), and preserve times
      --dry-run                copy nothing, print what would be copied

Output
  -v, --verbose                print each file that is copied
      --progress               show a line with percentage, files, bytes, rate
                                 and time left from the start (default: after
                                 0.5 s); needs a terminal
      --no-progress            show no such line
      --stats                  print a table at the end, on stderr
      --json[=FILE]            write the same and the first errors as JSON, to
                                 stdout or FILE
      --help, --version        print this help, or the version

Exit status: 0; 1 if a file was not copied or the command line is wrong, as with
GNU cp (other commands of sluice: 2 for a wrong command line); 130 or 143 if
interrupted or terminated. An error of one file does not stop the others.
Intended differences from GNU cp: docs/cp.md in github.com/sluiceio/sluice.
`
