import { expect, test } from 'vitest'
import { firebaseNotation, saltedShaNotation } from '../../src/imports/providers/hash-notation.ts'
import { matchesHash, passwordHashProblem } from '../../src/users/password-hashes.ts'

const fromBase64 = (text: string) => Buffer.from(text, 'base64')

/** The example that Firebase publishes for its variant of scrypt. */
const SIGNER_KEY = 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=='
const PARAMETERS = { signerKey: fromBase64(SIGNER_KEY), saltSeparator: fromBase64('Bw=='), rounds: 8, memoryCost: 14 }
const DERIVED = {
  salt: fromBase64('42xEC+ixf3L2lw=='),
  digest: fromBase64('lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=='),
}

test('a hash of Firebase accepts its password only, and does not contain the signer key', async () => {
  const hash = firebaseNotation(PARAMETERS, DERIVED) ?? ''
  expect(passwordHashProblem(hash)).toBeUndefined()
  expect(await matchesHash(hash, 'user1password')).toBe(true)
  expect(await matchesHash(hash, 'user2password')).toBe(false)
  expect(hash).not.toContain(SIGNER_KEY.slice(0, 20))
})

test('a hash of Firebase with other parameters is rejected or does not match', async () => {
  expect(firebaseNotation(PARAMETERS, { ...DERIVED, digest: DERIVED.digest.subarray(1) })).toBeUndefined()
  const other = firebaseNotation({ ...PARAMETERS, signerKey: Buffer.alloc(64, 1) }, DERIVED) ?? ''
  expect(await matchesHash(other, 'user1password')).toBe(false)
  const costly = firebaseNotation({ ...PARAMETERS, memoryCost: 20 }, DERIVED) ?? ''
  expect(passwordHashProblem(costly)).toMatch(/^it takes too much memory/)
})

test('SHA without a salt has no notation', () => {
  const digest = Buffer.alloc(64)
  expect(saltedShaNotation('sha512', { salt: Buffer.alloc(0), digest, saltFirst: false })).toBeUndefined()
  expect(saltedShaNotation('md5', { salt: Buffer.alloc(4), digest, saltFirst: false })).toBeUndefined()
  expect(saltedShaNotation('sha512', { salt: Buffer.from('a$b'), digest, saltFirst: true })).toBeUndefined()
  expect(saltedShaNotation('sha512', { salt: Buffer.from([0xff]), digest, saltFirst: true })).toBeUndefined()
})
