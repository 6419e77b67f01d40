import { type Authenticator, type CreationOptions, type Deviation, newAuthenticator } from '../support/authenticator.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD } from '../support/world.ts'
import type { ApiResponse, TestUser } from './people.ts'

export const PASSKEYS = '/api/users/me/mfa/passkeys'

export async function beginEnrollment(
  somebody: Pick<TestUser, 'call'>,
  body: object = { password: PASSWORD },
): Promise<CreationOptions> {
  const answer = await somebody.call('POST', `${PASSKEYS}/options`, body)
  if (answer.status !== 200) throw new Error(`no options: ${JSON.stringify(answer.body)}`)
  return answer.body as unknown as CreationOptions
}

/** Creates a passkey and adds it. */
export async function enroll(
  somebody: Pick<TestUser, 'call'>,
  authenticator: Authenticator,
  { twist = {}, name }: { twist?: Deviation; name?: string } = {},
): Promise<ApiResponse> {
  const credential = authenticator.create(await beginEnrollment(somebody), twist)
  return somebody.call('POST', PASSKEYS, { ...credential, ...(name !== undefined && { name }) })
}

/** Creates a passkey of the user. */
export async function createPasskey(
  { ctx }: TestService,
  somebody: Pick<TestUser, 'call'>,
  algorithm?: Parameters<typeof newAuthenticator>[1],
): Promise<Authenticator & { passkeyId: string; codes: string[] }> {
  const authenticator = newAuthenticator(ctx.config.baseUrl, algorithm)
  const { status, body } = await enroll(somebody, authenticator)
  if (status !== 201) throw new Error(`no passkey: ${JSON.stringify(body)}`)
  return { ...authenticator, passkeyId: String(body.id), codes: (body.recoveryCodes ?? []) as string[] }
}
