import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from '../../support/program.ts'

export interface Certificate {
  certFile: string
  keyFile: string
  cert: Buffer
  key: Buffer
}

/** A self-signed certificate, by default for localhost, which is also its own certificate authority. */
export function makeCertificate(names = 'DNS:localhost,IP:127.0.0.1'): Certificate {
  const folder = tempFolder()
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', `subjectAltName=${names}`]
  const options = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2'.split(' ')
  execFileSync('openssl', [...options, ...subject, '-keyout', keyFile, '-out', certFile], { stdio: 'ignore' })
  return { certFile, keyFile, cert: readFileSync(certFile), key: readFileSync(keyFile) }
}
