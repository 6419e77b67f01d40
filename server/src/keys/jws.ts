import { type KeyObject, sign, verify } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { decodeBase64Url } from '../lib/base64url.ts'
import type { Claims, TokenType } from '../lib/signer.ts'

/** Longer than any token of ours, and short enough to look at. */
const LONGEST = 16 * 1024
const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/

/** A token taken apart; nothing in it is to be believed yet. */
interface Jws {
  kid: string
  payload: string
  signed: string
  signature: string
}

/**
 * Signs claims with RS256 (RFC 7515 §3.1). Node's own call signs on a thread of the pool, and costs the event loop
 * half of what WebCrypto through a library does.
 */
export function signJws(type: TokenType, claims: Claims, kid: string, key: KeyObject): Promise<string> {
  const signed = `${headerOf(type, kid)}.${encode(claims)}`
  return new Promise((resolve, reject) => {
    sign('sha256', Buffer.from(signed), key, (error, signature) => {
      if (error) reject(error)
      else resolve(`${signed}.${signature.toString('base64url')}`)
    })
  })
}

/** The headers written last: there are as many as keys that sign and types of tokens. */
const headers = new LRUCache<string, string>({ max: 8 })

function headerOf(type: TokenType, kid: string): string {
  const name = `${type} ${kid}`
  const known = headers.get(name) ?? encode({ alg: 'RS256', typ: type, kid })
  headers.set(name, known)
  return known
}

/**
 * Takes apart what may be a token of this type; undefined for anything we would never have written. Our header says
 * three things: one that says more (crit, b64, jwk, jku, x5c …) asks for a treatment we do not give (RFC 8725 §3.10).
 */
export function readJws(type: TokenType, token: string): Jws | undefined {
  if (token.length > LONGEST) return undefined
  const [, first = '', payload = '', signature = ''] = COMPACT.exec(token) ?? []
  const header = decode(first)
  if (!header || Object.keys(header).length !== 3) return undefined
  const { alg, typ, kid } = header
  if (alg !== 'RS256' || typeof typ !== 'string' || typeof kid !== 'string') return undefined
  // RFC 7515 §4.1.9: a media type, so its case does not matter.
  if (typ.toLowerCase() !== type.toLowerCase()) return undefined
  return { kid, payload, signed: `${first}.${payload}`, signature }
}

/**
 * The claims, if the key signed them. This is done at once: it takes a fraction of what signing does, and on the
 * pool it would wait behind password hashes.
 */
export function openJws({ signed, signature, payload }: Jws, key: KeyObject): Claims | undefined {
  // The signature covers how the rest is spelled; its own spelling is covered by nothing.
  const bytes = decodeBase64Url(signature)
  const genuine = bytes !== undefined && verify('sha256', Buffer.from(signed), key, bytes)
  return genuine ? decode(payload) : undefined
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

function decode(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(decodeBase64Url(text)?.toString() ?? '')
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
