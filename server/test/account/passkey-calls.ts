import {
  type Authenticator,
  type CreationOptions,
  newAuthenticator,
  type Twist,
} from '../support/authenticator.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD } from '../support/world.ts'
import type { Answer, Somebody } from './people.ts'

export const PASSKEYS = '/api/users/me/mfa/passkeys'

export async function begin(
  somebody: Pick<Somebody, 'call'>,
  body: object = { password: PASSWORD },
): Promise<CreationOptions> {
  const answer = await somebody.call('POST', `${PASSKEYS}/options`, body)
  if (answer.status !== 200) throw new Error(`no options: ${JSON.stringify(answer.body)}`)
  return answer.body as unknown as CreationOptions
}

/** Makes a passkey and adds it. */
export async function enrol(
  somebody: Pick<Somebody, 'call'>,
  authenticator: Authenticator,
  { twist = {}, name }: { twist?: Twist; name?: string } = {},
): Promise<Answer> {
  const made = authenticator.create(await begin(somebody), twist)
  return somebody.call('POST', PASSKEYS, { ...made, ...(name !== undefined && { name }) })
}

/** A passkey that somebody has. */
export async function newPasskey(
  { ctx }: TestService,
  somebody: Pick<Somebody, 'call'>,
  algorithm?: Parameters<typeof newAuthenticator>[1],
): Promise<Authenticator & { passkeyId: string; codes: string[] }> {
  const authenticator = newAuthenticator(ctx.config.baseUrl, algorithm)
  const { status, body } = await enrol(somebody, authenticator)
  if (status !== 201) throw new Error(`no passkey: ${JSON.stringify(body)}`)
  return { ...authenticator, passkeyId: String(body.id), codes: (body.recoveryCodes ?? []) as string[] }
}
