package cp

// helpText is what --help prints, in 80 columns.
const helpText = `Usage: sluice cp [OPTION]... [-T] SOURCE DEST
  or:  sluice cp [OPTION]... SOURCE... DIRECTORY
  or:  sluice cp [OPTION]... -t DIRECTORY SOURCE...
Copies as GNU cp does, with the same options, messages and exit status.

What is copied
  -r, -R, --recursive          copy directories, and what is in them
  -a, --archive                as -dR --preserve=all
  -x, --one-file-system        stay on the file system of each SOURCE
      --copy-contents          with -r, read from FIFOs and devices, instead of
                                 making new ones
      --attributes-only        copy no data, only attributes
  -l, --link                   make hard links instead of copies
  -s, --symbolic-link          make symbolic links instead of copies

Symbolic links in SOURCE (the last of these counts)
  -P, --no-dereference         copy them as links; so with -r
  -H                           follow those among the operands
  -L, --dereference            follow all; so without -r
  -d                           as --no-dereference --preserve=links

Attributes
  -p                           as --preserve=mode,ownership,timestamps
      --preserve[=LIST]        preserve these: mode, ownership, timestamps,
                                 links, context, xattr, all; without LIST as -p
      --no-preserve=LIST       do not preserve these
  -Z, --context[=CTX]          ignored without SELinux, refused with it

Where it goes
  -t, --target-directory=DIR   copy every SOURCE into DIR
  -T, --no-target-directory    DEST is the copy, even if it is a directory
      --parents                use the full name of each SOURCE under DIRECTORY
      --strip-trailing-slashes remove slashes at the end of each SOURCE

What exists already
  -i, --interactive            ask before overwriting (undoes an earlier -n)
  -n, --no-clobber             leave it (undoes an earlier -i)
  -u, --update[=WHICH]         overwrite all, none, none-fail (and fail), or
                                 older (so without WHICH)
  -f, --force                  if it cannot be opened, remove it and try again
      --remove-destination     remove it before each copy
  -b, --backup[=CONTROL]       rename it: none (off), numbered (t), existing
                                 (nil), simple (never); -b takes no argument;
                                 the default is VERSION_CONTROL, or existing
  -S, --suffix=SUFFIX          of simple backups (SIMPLE_BACKUP_SUFFIX, or ~)

How data is copied
      --reflink[=WHEN]         share it: auto (default), always (so without
                                 WHEN), never
      --sparse=WHEN            make holes: auto (default, as in the source),
                                 always (for zeros), never
      --block-size=SIZE        read and write so much at once, as in 256k
      --concurrency=N          work at N files at once (default: as it takes)

Safety
      --sync[=fs|files]        put it on the disk before ending: by one syncfs
                                 (so without a value) or an fsync of each file
      --verify                 read each copy back and compare it
      --resume                 go on: leave files that have their source's size
                                 and time, and keep times
      --dry-run                copy nothing, say what would be copied

What is shown
  -v, --verbose                each file that is copied
      --progress               a line with percentage, files, bytes, rate and
                                 time to go, from the start (default: after
                                 0.5 s); needs a terminal
      --no-progress            no such line
      --stats                  a table at the end, on stderr
      --json[=FILE]            the same and the first errors as JSON, on stdout
                                 or in FILE
      --help, --version        this, or the version

Exit status: 0, or 1 if anything was not copied or the call was wrong, as with
GNU cp (other commands of sluice: 2 for a wrong call); 130 or 143 if it was
interrupted or terminated. An error of one file does not stop the others.
Intended differences from GNU cp: docs/cp.md.
`
