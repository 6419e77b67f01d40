const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/**
 * Other texts that a lenient base64url decoder maps to the same bytes, each with a name: the unused bits of the last
 * character, padding, whitespace, and a character outside the alphabet.
 */
export function otherEncodings(text: string): [string, string][] {
  return [
    ...listTails(text).map((other): [string, string] => [`the tail ${other.slice(-1)}`, other]),
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

/** The text with other values in the unused bits of the last character. */
function listTails(text: string): string[] {
  const length = text.slice(text.lastIndexOf('.') + 1).length
  const unusedBits = { 2: 4, 3: 2 }[length % 4] ?? 0
  const value = ALPHABET.indexOf(text.slice(-1))
  const first = (value >> unusedBits) << unusedBits
  return Array.from({ length: 1 << unusedBits }, (_, bits) => first + bits)
    .filter((other) => other !== value)
    .map((other) => text.slice(0, -1) + ALPHABET[other])
}
