const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/**
 * Other texts that a lenient decoder of base64url takes for the same bytes, each with a name: the unused bits of the
 * last character, padding, whitespace, and a character that adds no byte.
 */
export function otherSpellings(text: string): [string, string][] {
  return [
    ...tails(text).map((other): [string, string] => [`the tail ${other.slice(-1)}`, other]),
    ['padding', `${text}=`],
    ['more padding', `${text}==`],
    ...WHITESPACE.flatMap(([name, space]): [string, string][] => [
      [`${name} after it`, text + space],
      [`${name} before it`, space + text],
      [`${name} inside`, `${text.slice(0, -5)}${space}${text.slice(-5)}`],
    ]),
    ['a character of no alphabet', `${text.slice(0, -5)}!${text.slice(-5)}`],
  ]
}

const WHITESPACE = [
  ['a space', ' '],
  ['a tab', '\t'],
  ['a line break', '\n'],
] as const

/** The same with other values in the bits of the last character that stand for nothing. */
function tails(text: string): string[] {
  const length = text.slice(text.lastIndexOf('.') + 1).length
  const unusedBits = { 2: 4, 3: 2 }[length % 4] ?? 0
  const value = ALPHABET.indexOf(text.slice(-1))
  const first = (value >> unusedBits) << unusedBits
  return Array.from({ length: 1 << unusedBits }, (_, bits) => first + bits)
    .filter((other) => other !== value)
    .map((other) => text.slice(0, -1) + ALPHABET[other])
}
