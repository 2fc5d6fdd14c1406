# Prints what zsh would complete after each of the command lines: zsh.zsh SCRIPT LINE... Each
# match is a line with "match:" before it; "match:end" ends those of a command line. zsh
# completes in a terminal alone, so this makes one, in which it is sourced itself.
if [[ $1 == inside ]]; then
	autoload -Uz compinit
	compinit -D -u
	source $2
	compadd() {
		# Matches that are only stored in an array (-O, -A, -D) are not shown.
		if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
			builtin compadd "$@"
			return
		fi
		local -a found
		builtin compadd -O found "$@"
		(( $#found )) && print -rl -- "match:"${^found}
		builtin compadd "$@"
	}
	complete-all() {
		_main_complete
		print -r -- "match:end"
	}
	zle -C complete-all complete-word complete-all
	bindkey '^I' complete-all
	return
fi
zmodload zsh/zpty
zpty terminal zsh -f -i
zpty -w terminal "source ${(q)0} inside ${(q)1}; print -r -- rea'dy'"
zpty -r -m terminal text '*ready*' || exit 1
for line in "${@[2,-1]}"; do
	zpty -w -n terminal $'\C-u'"$line"$'\t'
	while zpty -r terminal text; do
		print -rn -- $text
		[[ $text == *match:end* ]] && break
	done
done
zpty -d terminal
