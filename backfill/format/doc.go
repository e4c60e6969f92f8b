// Package format reads conversations and memories that other programs wrote out.
//
// Open makes readable what is named: a file, plain or compressed, a folder or an archive. Its
// sources are read one after the other, each as a sequence of items: a conversation or a part
// of one, a memory, or what could not be read, with its place and the reason. However long a
// source is, no more than one conversation of it is held.
//
// Every message that a reader gives is one that memd takes, in OpenAI's shape and with an id
// of its own: the source's where it has one, else one that is made of what it says, so that the
// same source gives the same ids wherever and however often it is read.
package format
