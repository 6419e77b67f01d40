import type { Ctx } from '../context.ts'
import { readCookie, setCookie } from '../http/request/cookies.ts'
import type { Exchange } from '../http/routing/exchange.ts'

/** `password`, `passkey`, `email_code`, or the name of a provider, which is in capitals. */
export type UsedMethod = string

const COOKIE = 'latchkey_methods'
const MAX_AGE_SECONDS = 400 * 86_400
const MAX_METHODS = 5
const METHOD = /^[A-Za-z0-9_]{1,32}$/

/**
 * The methods that were used in this browser, the last one first. The sign-in page offers them first. The cookie has no
 * personal data, and nothing else depends on it.
 */
export function findUsedMethods({ config }: Ctx, { request }: Pick<Exchange, 'request'>): UsedMethod[] {
  const methods = (readCookie(request, config, COOKIE) ?? '').split('.').filter((name) => METHOD.test(name))
  return methods.slice(0, MAX_METHODS)
}

export function rememberMethod(ctx: Ctx, exchange: Exchange, method: UsedMethod): void {
  const others = findUsedMethods(ctx, exchange).filter((name) => name !== method)
  saveMethods(ctx, exchange, [method, ...others])
}

/** A passkey was added in this browser and may be used here from now on. */
export function rememberPasskey(ctx: Ctx, exchange: Exchange): void {
  const others = findUsedMethods(ctx, exchange).filter((name) => name !== 'passkey')
  saveMethods(ctx, exchange, [...others.slice(0, MAX_METHODS - 1), 'passkey'])
}

const saveMethods = ({ config }: Ctx, { reply }: Exchange, methods: UsedMethod[]): void =>
  setCookie(reply, config, {
    name: COOKIE,
    value: methods.slice(0, MAX_METHODS).join('.'),
    maxAgeSeconds: MAX_AGE_SECONDS,
  })
