// Package lang is what English and Chinese are made of, as far as a reader of
// values and claims needs it. It takes texts and knows nothing of what they say.
//
//	letter.go    letters, digits, single words
//	phrase.go    lists of words and phrases, and where a text holds one of them
//	sentence.go  where a sentence begins and ends
//	words.go     a text as a set of its content words
//	language.go  which language a text is in, among others than these two
//
// It reads bytes: a place in a text is always an offset of bytes in UTF-8.
package lang
