package outcomes

import "strings"

// FirstMessage returns the first message of the go command's text, in one line. The lines that
// belong to it follow a colon, or begin with a tab.
func FirstMessage(text string) string {
	messages := messagesOf(text, 1)
	if len(messages) == 0 {
		return ""
	}
	return messages[0]
}

// Messages returns the messages of the go command's text in one line. What it says about its
// downloads is left out.
func Messages(text string) string { return strings.Join(messagesOf(text, -1), "; ") }

// messagesOf returns the first n messages of a text, or all if n is negative.
func messagesOf(text string, n int) (messages []string) {
	for line := range strings.Lines(text) {
		said := strings.TrimSpace(line)
		last := len(messages) - 1
		switch {
		case said == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "go: downloading "):
		case last >= 0 && (line[0] == '\t' || strings.HasSuffix(messages[last], ":")):
			messages[last] += " " + said
		case len(messages) == n:
			return messages
		default:
			messages = append(messages, said)
		}
	}
	return messages
}
