import type { Input, Operation, Reply } from '@latchkey/client'
import { call } from './api.ts'

/** Requests that were sent before the page asked for them. */
const started = new Map<string, Promise<unknown>>()

const keyOf = (operation: Operation, input: unknown) => JSON.stringify([operation, input])

function start<O extends Operation>(operation: O, input: Input<O>): void {
  const reply = call(operation, input)
  // The page sends the request again.
  reply.catch(() => started.delete(keyOf(operation, input)))
  started.set(keyOf(operation, input), reply)
}

/** Requests what every page needs. */
export function preloadData(): void {
  start('GET /api/users/me', {})
  start('GET /api/users/me/access', {})
  start('GET /api/tenants', {})
}

/** The reply of a preloaded request, which can be used once. */
export function takePreloaded<O extends Operation>(operation: O, input: Input<O>): Promise<Reply<O>> | undefined {
  const key = keyOf(operation, input)
  const reply = started.get(key)
  started.delete(key)
  return reply as Promise<Reply<O>> | undefined
}
