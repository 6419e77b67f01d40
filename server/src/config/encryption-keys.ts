import type { Reader } from './reader.ts'

/** The keys of LATCHKEY_ENCRYPTION_KEY, newest first. */
export function readEncryptionKeys(read: Reader): Buffer[] {
  const value = read.text('LATCHKEY_ENCRYPTION_KEY')
  if (value === undefined) return []
  const keys = value.split(',').map((part) => decodeKey(part.trim()))
  if (keys.some((key) => key === undefined)) {
    read.problems.push('LATCHKEY_ENCRYPTION_KEY must be 32 bytes in base64 or hex (several: with commas).')
  }
  return keys.filter((key) => key !== undefined)
}

function decodeKey(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return undefined
  const key = Buffer.from(text, 'base64')
  return key.length === 32 ? key : undefined
}
