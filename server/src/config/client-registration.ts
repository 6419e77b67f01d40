import type { Reader } from './reader.ts'

const POLICIES = ['off', 'token', 'open'] as const

export type ClientRegistrationPolicy = (typeof POLICIES)[number]

export const CLIENT_REGISTRATION_VARIABLES = {
  CLIENT_REGISTRATION:
    'off, token or open: whether clients may register themselves; token: only with a registration token of an operator, open: anybody (off)',
}

export const readClientRegistration = (read: Reader): ClientRegistrationPolicy =>
  read.oneOf('CLIENT_REGISTRATION', POLICIES) ?? 'off'
