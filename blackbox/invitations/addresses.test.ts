import { describe, expect, test } from 'vitest'
import { errorBody } from '../support/calls.ts'
import { listInvitationMails, newAddress, requestInvitation } from '../support/invitations.ts'
import { newOwnedTenant } from '../support/tenants.ts'

const { tenant, owner } = await newOwnedTenant()
const sendInvitation = (body: unknown) => requestInvitation(owner.headers, tenant.id, body)

describe('invalid addresses are refused', () => {
  const inbox = newAddress()
  const other = newAddress()
  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a number', 7],
    ['a list', [inbox]],
    ['a list of two', [inbox, other]],
    ['an object', { address: inbox }],
    ['an empty text', ''],
    ['a name', 'someone'],
    ['two, by comma', `${inbox},${other}`],
    ['two, by semicolon', `${inbox};${other}`],
    ['two, by blank', `${inbox} ${other}`],
    ['a header after it', `${inbox}\r\nBcc: ${other}`],
    ['a line break in it', inbox.replace('@', '\n@')],
    ['a NUL character', inbox.replace('@', '\u0000@')],
    ['a lone surrogate', `\ud800${inbox}`],
    ['a character similar to @', inbox.replace('@', '\uff20')],
    ['letters similar to Latin ones', inbox.replace('b', '\u0432')],
    ['a domain of another script', 'someone@bl\u00e4ckbox.test'],
    ['too many characters', `${'a'.repeat(60)}@${`${'b'.repeat(60)}.`.repeat(4)}test`],
    ['a long local part', `${'a'.repeat(65)}@blackbox.test`],
    ['a quoted local part', '"someone else"@blackbox.test'],
    ['a quoted list', `"${inbox}"@blackbox.test`],
    ['a name and an address', `Someone <${inbox}>`],
    ['a comment', inbox.replace('@', '(hello)@')],
    ['a domain in brackets', 'someone@[127.0.0.1]'],
    ['no domain', 'someone@'],
    ['one label', 'someone@localhost'],
    ['two @', inbox.replace('@', '@blackbox.test@')],
    ['a percent route', '@relay.test:someone@blackbox.test'],
  ])('%s', async (_, email) => {
    const { status, body } = await sendInvitation({ email })
    expect(status).toBe(422)
    const details = [{ field: 'email', message: expect.any(String) }]
    expect(body).toEqual(errorBody(422, 'VALIDATION_FAILED', { details }))
    for (const address of [inbox, other]) expect(await listInvitationMails(address)).toEqual([])
  })
})
