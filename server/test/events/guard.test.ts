import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createGuard, type Guard } from '../../src/lib/outgoing/guard.ts'
import { post, toErrorCode } from '../../src/lib/outgoing/post.ts'
import { tempFolder } from '../support/program.ts'

// Webhook requests go only to public addresses and to those that operators have allowed.

const never = new AbortController().signal
const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** Listens and counts connections. */
async function listen<S extends Pick<Server, 'listen' | 'address' | 'on'> & { close(): unknown }>(server: S) {
  const seen = { connections: 0 }
  server.on('connection', () => {
    seen.connections++
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => server.close())
  return { seen, port: (server.address() as AddressInfo).port }
}

const respondWith = (status: number, headers: Record<string, string> = {}, body = '') =>
  createServer((request, response) => {
    request.resume()
    response.writeHead(status, headers).end(body)
  })

const send = (url: string, guard: Guard) =>
  post(guard, { url, headers: { 'content-type': 'application/json' }, body: '{}' }, { stop: never }).catch((error) =>
    toErrorCode(error, 'operator'),
  )

const strict = createGuard({ allowedNetworks: [] })
const nearby = createGuard({ allowedNetworks: ['127.0.0.0/8', '::1'] })
const withNames = (guard: Guard, ...answers: string[][]): Guard & { lookups: () => number } => {
  let lookups = 0
  return {
    ...guard,
    lookups: () => lookups,
    resolve: async () =>
      (answers[Math.min(lookups++, answers.length - 1)] ?? []).map((address) => ({
        address,
        family: address.includes(':') ? 6 : 4,
      })),
  }
}

describe('a private address', () => {
  test.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', '0.0.0.0', '127.1'])(
    'gets no connection as %s, with either scheme',
    async (host) => {
      const { seen, port } = await listen(respondWith(200))
      for (const scheme of ['http', 'https']) {
        expect(await send(`${scheme}://${host}:${port}/`, strict)).toBe('address_refused')
      }
      expect(seen.connections).toBe(0)
    },
  )

  test('gets no connection behind a name, and a tenant sees the same error as for an unknown name', async () => {
    const { seen, port } = await listen(respondWith(200))
    const inward = withNames(strict, ['127.0.0.1'])
    const message = { url: `https://inward.test:${port}/`, headers: {}, body: '{}' }
    const refusal = await post(inward, message, { stop: never }).catch((error: unknown) => error)
    expect(toErrorCode(refusal, 'tenant')).toBe('connection')
    expect(toErrorCode(refusal, 'operator')).toBe('address_refused')
    const written = { ...message, url: `https://127.0.0.1:${port}/` }
    const refused = await post(strict, written, { stop: never }).catch((error: unknown) => error)
    expect(toErrorCode(refused, 'tenant')).toBe('address_refused')
    expect(await send(`https://localhost:${port}/`, withNames(strict, ['127.0.0.1', '::1']))).toBe('address_refused')
    expect(seen.connections).toBe(0)
  })

  test('gets no connection when the name has a public address as well', async () => {
    const { seen, port } = await listen(respondWith(200))
    for (const addresses of [
      ['8.8.8.8', '127.0.0.1'],
      ['127.0.0.1', '8.8.8.8'],
      ['2606:4700::1111', '::ffff:127.0.0.1'],
    ]) {
      expect(await send(`https://mixed.test:${port}/`, withNames(strict, addresses))).toBe('address_refused')
    }
    expect(seen.connections).toBe(0)
  })

  test('gets no connection when only the second lookup returns it', async () => {
    const { seen, port } = await listen(respondWith(200))
    // A documentation address counts as public here, so that the first lookup passes without external traffic.
    const lenient = { ...strict, allows: (address: string) => address === '192.0.2.1' }
    const guard = withNames(lenient, ['192.0.2.1'], ['127.0.0.1'])
    const stop = AbortSignal.timeout(500)
    await post(guard, { url: `https://rebound.test:${port}/`, headers: {}, body: '{}' }, { stop }).catch(() => {})
    expect(guard.lookups()).toBe(1)
    expect(seen.connections).toBe(0)
    expect(await send(`https://rebound.test:${port}/`, guard)).toBe('address_refused')
  })

  test('gets a connection when operators have allowed it, and a public one never without TLS', async () => {
    const { seen, port } = await listen(respondWith(204))
    expect(await send(`http://localhost:${port}/`, nearby)).toMatchObject({ status: 204 })
    expect(seen.connections).toBe(1)
    expect(await send(`http://public.test:${port}/`, withNames(nearby, ['8.8.8.8']))).toBe('address_refused')
    expect(await send(`http://nowhere.test:${port}/`, withNames(nearby, []))).toBe('address_refused')
  })
})

describe('a response', () => {
  test('with a redirect is not followed', async () => {
    const target = await listen(respondWith(200))
    const { port } = await listen(respondWith(307, { location: `http://127.0.0.1:${target.port}/` }))
    expect(await send(`http://127.0.0.1:${port}/`, nearby)).toMatchObject({ status: 307 })
    expect(target.seen.connections).toBe(0)
  })

  test('of unlimited length is read up to a limit', async () => {
    let written = 0
    const endless = createServer((_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(64 * 1024))) written += 64 * 1024
      }
      response.writeHead(200).on('drain', more)
      more()
    })
    const { port } = await listen(endless)
    expect(await send(`http://127.0.0.1:${port}/`, nearby)).toMatchObject({ status: 200 })
    expect(written).toBeLessThan(32 * 1024 * 1024)
  })

  test('that is cut off is a connection error', async () => {
    const breaking = createServer((_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('well')
      response.destroy()
    })
    const broken = await listen(breaking)
    expect(await send(`http://127.0.0.1:${broken.port}/`, nearby)).toBe('connection')
  })

  test('that is missing is a connection error', async () => {
    const rude = createTcpServer((socket) => socket.destroy())
    const { port } = await listen(rude as unknown as Server)
    expect(await send(`http://127.0.0.1:${port}/`, nearby)).toBe('connection')
    const gone = await listen(respondWith(200))
    for (const close of closers.splice(0)) close()
    expect(await send(`http://127.0.0.1:${gone.port}/`, nearby)).toBe('connection')
  })
})

describe('TLS', () => {
  test('is required for https', async () => {
    const { port } = await listen(respondWith(200))
    expect(await send(`https://127.0.0.1:${port}/`, nearby)).toBe('tls')
  })

  test('with an untrusted certificate is refused, and nothing is sent', async () => {
    const folder = tempFolder()
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
    execFileSync(
      'openssl',
      [...'req -x509 -newkey rsa:2048 -nodes -days 2'.split(' '), ...subject, '-keyout', key, '-out', cert],
      { stdio: 'ignore' },
    )
    let requests = 0
    const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_request, response) => {
      requests++
      response.end()
    })
    const { port } = await listen(server)
    expect(await send(`https://localhost:${port}/`, nearby)).toBe('tls')
    expect(requests).toBe(0)
  })
})
