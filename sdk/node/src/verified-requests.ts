import type { Auth } from './auth.ts'
import type { Latchkey } from './latchkey.ts'

/**
 * The callers that guards have verified, by request. Private, because anything in front of a guard can set or change the
 * `auth` of a request, also to what a caller has sent.
 */
const verified = new WeakMap<Latchkey, WeakMap<object, Auth>>()

/** The caller of a request. It is verified once, by the first guard. The result is a copy that handlers may change. */
export async function verifyOnce(latchkey: Latchkey, request: object, verify: () => Promise<Auth>): Promise<Auth> {
  const requests = verified.get(latchkey) ?? new WeakMap<object, Auth>()
  verified.set(latchkey, requests)
  const auth = requests.get(request) ?? (await verify())
  requests.set(request, auth)
  return structuredClone(auth)
}
