import { expect, test } from 'vitest'
import { freePort } from '../support/program.ts'
import { FULL } from '../support/rounds.ts'
import { startMailserver } from '../support/smtp.ts'
import { PASSWORD, startDemoService } from '../support/world.ts'
import { call, createSignedInUser } from './people.ts'

const count = (messages: string[], subject: string) =>
  messages.filter((message) => message.includes(`Subject: ${subject}\r\n`)).length

test.runIf(FULL)(
  'account routes work while the mail server is down, and every mail arrives once afterwards',
  async () => {
    const port = Number(await freePort())
    const mail = { smtpUrl: `smtp://127.0.0.1:${port}`, mailbox: false, from: 'no-reply@latchkey.test' }
    const service = await startDemoService({ worker: true, config: { mail } })
    try {
      // Removes the mails of the demo setup.
      await service.ctx.db.deleteFrom('mail_messages').execute()
      const ann = await createSignedInUser(service)
      const forgot = { method: 'POST', body: { email: ann.email } }
      expect((await call(`${service.url}/api/auth/password/forgot`, forgot)).status).toBe(200)
      const change = { newEmail: 'ann@elsewhere.test', password: PASSWORD }
      expect((await ann.call('POST', '/api/users/me/email', change)).status).toBe(200)
      const newPassword = 'a quite different password'
      const changed = { currentPassword: PASSWORD, newPassword }
      expect((await ann.call('POST', '/api/users/me/password', changed)).status).toBe(200)
      const failures = () => service.logs.filter(({ job }) => job === 'deliver_mail')
      await expect.poll(() => failures().length, { timeout: 60_000 }).toBeGreaterThanOrEqual(4)
      const server = await startMailserver({ port })
      try {
        await expect
          .poll(() => service.ctx.db.selectFrom('mail_messages').select('id').execute(), { timeout: 60_000 })
          .toEqual([])
        const subjects = [
          'Choose a new password',
          'Confirm your new email address',
          'Your email address is about to change',
          'Your password was changed',
        ]
        for (const subject of subjects) expect([subject, count(server.received, subject)]).toEqual([subject, 1])
      } finally {
        await server.close()
      }
    } finally {
      await service.close()
    }
  },
)
