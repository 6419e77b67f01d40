import { isoCBOR } from '@simplewebauthn/server/helpers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newAuthenticator, type Authenticator, type CreationOptions, type Twist } from '../support/authenticator.ts'
import type { TestService } from '../support/service.ts'
import { findSession, sessionIdOf, startWorld } from '../support/world.ts'
import { type Answer, call, entriesOf, failure, logIn, mailTo, newSomebody, type Somebody } from './people.ts'

const PASSKEYS = '/api/users/me/mfa/passkeys'

let service: TestService
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service?.close())
