import { expect, test } from 'vitest'
import { isRegisteredRedirectUri } from '../../src/applications/clients/loopback.ts'

test.each([
  ['http://localhost/callback', 'http://localhost/callback'],
  ['http://localhost/callback', 'http://localhost:1/callback'],
  ['http://localhost/callback', 'http://localhost:53123/callback'],
  ['http://127.0.0.1/callback', 'http://127.0.0.1:65535/callback'],
  ['http://127.0.0.1', 'http://127.0.0.1:4000'],
  ['http://[::1]/callback?a=b', 'http://[::1]:4000/callback?a=b'],
])('%s registered without a port allows %s', (registered, requested) => {
  expect(isRegisteredRedirectUri(['https://app.example.com/', registered], requested)).toBe(true)
})

test.each([
  ['http://localhost/callback', 'http://localhost:53123/'],
  ['http://localhost/callback', 'http://localhost:53123/callback/'],
  ['http://localhost/callback', 'http://localhost:53123/callback?a=b'],
  ['http://localhost/callback', 'http://localhost:53123/Callback'],
  ['http://localhost/callback', 'http://LOCALHOST:53123/callback'],
  ['http://localhost/callback', 'http://127.0.0.1:53123/callback'],
  ['http://127.0.0.1/callback', 'http://127.0.0.2:53123/callback'],
  ['http://[::1]/callback', 'http://127.0.0.1:53123/callback'],
  ['http://localhost/callback', 'https://localhost:53123/callback'],
  ['http://localhost/callback', 'http://localhost:0/callback'],
  ['http://localhost/callback', 'http://localhost:65536/callback'],
  ['http://localhost/callback', 'http://localhost:/callback'],
  ['http://localhost/callback', 'http://localhost:80:80/callback'],
  ['http://localhost/callback', 'http://localhost:53123@evil.example/callback'],
  ['http://localhost/callback', 'http://localhost:53123.evil.example/callback'],
  ['http://localhost/callback', 'http://user@localhost:53123/callback'],
  ['http://localhost/callback', ' http://localhost:53123/callback'],
  ['http://localhost:8080/callback', 'http://localhost:8081/callback'],
  ['http://localhost:8080/callback', 'http://localhost/callback'],
  ['https://localhost/callback', 'https://localhost:8443/callback'],
  ['http://localhost.example.com/callback', 'http://localhost.example.com:81/callback'],
  ['https://app.example.com/callback', 'https://app.example.com:8443/callback'],
  ['com.example.app:/callback', 'com.example.app:80/callback'],
])('%s registered does not allow %s', (registered, requested) => {
  expect(isRegisteredRedirectUri([registered], requested)).toBe(false)
})
