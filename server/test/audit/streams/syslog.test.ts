import { spawnSync } from 'node:child_process'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ACTIONS } from '../../../src/audit/catalog.ts'
import { formatMessage } from '../../../src/audit/streams/targets/syslog.ts'
import { freePort } from '../../support/program.ts'
import type { TestService } from '../../support/service.ts'
import { recordEntries, startWithEmptyLog } from '../log.ts'
import { type Certificate, makeCertificate } from './certificates.ts'
import { findRow, idsOf, listIds, openStream, runStream, syslog } from './streams.ts'
import { type SyslogServer, startSyslogServer } from './syslog-server.ts'

const hasOpenssl = spawnSync('openssl', ['version']).status === 0

describe.skipIf(!hasOpenssl)('syslog over TLS:', () => {
  let service: TestService
  let server: SyslogServer
  let certificate: Certificate
  let other: Certificate
  beforeAll(async () => {
    certificate = makeCertificate()
    other = makeCertificate()
    service = await startWithEmptyLog()
  })
  afterAll(() => service?.close())
  beforeEach(async () => {
    server = await startSyslogServer(certificate)
  })
  afterEach(() => server.close())

  let number = 0
  const open = (changes: Partial<Parameters<typeof syslog>[0]> = {}) =>
    openStream(
      service,
      syslog({ name: `TARGET_${++number}`, url: server.url, tls: { ca: certificate.cert }, ...changes }),
    )
  const errorOf = async ({ settings: { name } }: ReturnType<typeof open>) =>
    (await findRow(service.ctx, name))?.last_error

  test('all events arrive in order, as framed messages with structured data', async () => {
    const stream = open()
    await recordEntries(service.ctx, 50)
    await runStream(service, stream)
    expect(server.problems).toEqual([])
    expect(idsOf(server.events())).toEqual(await listIds(service.ctx))
    const [message] = server.messages
    const [event] = server.events()
    expect(message).toMatchObject({
      priority: 110,
      timestamp: event?.occurredAt,
      host: '127.0.0.1',
      app: 'latchkey',
      messageId: 'member.joined',
      dataId: 'latchkey@32473',
      parameters: { id: event?.id, position: '1', hash: event?.hash, actorKind: 'user', tenantId: event?.tenantId },
    })
  })

  test('a batch larger than the buffers of the connection arrives completely', async () => {
    const stream = open()
    await recordEntries(service.ctx, 1)
    await runStream(service, stream)
    const [event] = server.events()
    if (!event) throw new Error('no event')
    const events = Array.from({ length: 500 }, (_, index) => ({
      ...event,
      position: index,
      details: { text: 'x'.repeat(8_000) },
    }))
    await stream.target.send({ firstPosition: 0, lastPosition: 499, events }, new AbortController().signal)
    const positions = server.events().map(({ position }) => position)
    expect(positions.slice(-500)).toEqual(events.map(({ position }) => position))
    expect(server.problems).toEqual([])
  })

  test('a certificate of an unknown authority is refused, and nothing is sent', async () => {
    for (const tls of [{}, { ca: other.cert }]) {
      const stream = open({ tls })
      await recordEntries(service.ctx, 1)
      await runStream(service, stream)
      expect(await errorOf(stream)).toMatch(/^no connection: (?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED|UNABLE_TO)/)
    }
    expect(server.messages).toEqual([])
  })

  test('a certificate for another host name is refused, even if its authority is trusted', async () => {
    const elsewhere = makeCertificate('DNS:other.example')
    const stranger = await startSyslogServer(elsewhere)
    const stream = open({ url: stranger.url, tls: { ca: elsewhere.cert } })
    await recordEntries(service.ctx, 1)
    await runStream(service, stream)
    expect(await errorOf(stream)).toBe('no connection: ERR_TLS_CERT_ALTNAME_INVALID')
    expect(stranger.messages).toEqual([])
    await stranger.close()
  })

  test('the service authenticates itself with a client certificate', async () => {
    const strict = await startSyslogServer(certificate, { clientCa: other.cert })
    const url = strict.url
    await recordEntries(service.ctx, 1)
    const anonymous = open({ url })
    await runStream(service, anonymous)
    expect(await errorOf(anonymous)).toMatch(/^no connection: /)
    await expect(anonymous.target.check(new AbortController().signal)).rejects.toThrow('no connection')
    expect(strict.messages).toEqual([])
    const stream = open({ url, tls: { ca: certificate.cert, cert: other.cert, key: other.key } })
    await stream.target.check(new AbortController().signal)
    await runStream(service, stream)
    expect(idsOf(strict.events())).toEqual(await listIds(service.ctx))
    await strict.close()
  })

  test('a connection that is closed before everything was read repeats the batch', async () => {
    const stream = open()
    await recordEntries(service.ctx, 3)
    server.setBehavior('closes')
    await runStream(service, stream)
    expect(await errorOf(stream)).toMatch(/^no connection: /)
    server.setBehavior(undefined)
    service.advance(1_001)
    await runStream(service, stream)
    expect(idsOf(server.events())).toEqual(await listIds(service.ctx))
  })

  test('a port at which nothing listens, and a receiver without TLS, are reported', async () => {
    await recordEntries(service.ctx, 1)
    const closed = open({ url: `tls://localhost:${await freePort()}` })
    await runStream(service, closed)
    expect(await errorOf(closed)).toBe('no connection: ECONNREFUSED')
    const plain = open({ url: service.url.replace('http:', 'tls:') })
    await runStream(service, plain)
    expect(await errorOf(plain)).toMatch(/^no connection: /)
  })

  test('every action fits into a MSGID, and special characters are escaped', () => {
    expect(ACTIONS.filter((action) => !/^[!-~]{1,32}$/.test(action))).toEqual([])
    const message = formatMessage(
      {
        id: 'a',
        position: 1,
        hash: 'b',
        occurredAt: '2026-11-15T09:30:00.000Z',
        action: 'member.joined',
        actor: { kind: 'client', id: 'x"y\\z]\n' },
        clientId: null,
        tenantId: null,
        userId: null,
        email: 'zoë@people.test',
        ipAddress: null,
        userAgent: null,
        requestId: null,
        details: {},
      },
      'id.example.com',
    )
    expect(message).toContain('actorId="x\\"y\\\\z\\] "')
    expect(message).toMatch(/^[ -~]+$/)
    expect(JSON.parse(message.slice(message.indexOf('{'))).email).toBe('zoë@people.test')
  })
})
