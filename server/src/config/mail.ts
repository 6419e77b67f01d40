import type { Reader } from './reader.ts'

export function readSender(read: Reader): string | undefined {
  const value = read.text('MAIL_FROM')
  if (value === undefined || /^(?:[^<>\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/.test(value)) return value
  read.problems.push(`MAIL_FROM is "${value}": it must be an address such as "Acme <no-reply@acme.example>".`)
  return undefined
}
