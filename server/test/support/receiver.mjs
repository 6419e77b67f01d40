// Receives webhooks in a separate process, which tests can kill. Requests are appended to a log file, one JSON per line.
// Another file configures the responses and is read for each request.
import { appendFileSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const [port, logFile, moodFile] = process.argv.slice(2)

let open = 0

const server = createServer((request, response) => {
  open++
  response.on('close', () => {
    open--
  })
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const { method, url, headers } = request
    const {
      status = 200,
      delayMs = 0,
      hangs = false,
      hangsUp = false,
      answerHeaders = {},
      failOnce = [],
    } = JSON.parse(readFileSync(moodFile, 'utf8'))
    const body = Buffer.concat(chunks).toString()
    const log = (answered) =>
      appendFileSync(logFile, `${JSON.stringify({ method, url, headers, body, answered, open })}\n`)
    if (hangs) return log('nothing')
    if (hangsUp) {
      log('nothing')
      return request.socket.destroy()
    }
    const responseStatus =
      failOnce.length > 0 && !seen.has(headers['webhook-id']) ? failOnce[seen.size % failOnce.length] : status
    seen.add(headers['webhook-id'])
    setTimeout(() => {
      log(responseStatus)
      response.writeHead(responseStatus, answerHeaders)
      response.end('thank you')
    }, delayMs)
  })
})
const seen = new Set()
server.listen(Number(port), '127.0.0.1', () => process.stdout.write('listening\n'))
