import { getNonce } from 'get-nonce'

/**
 * The HTML of a mail for a frame of the console. The Content-Security-Policy of the console applies in the frame too: it
 * forbids style attributes and allows style elements with the nonce, so the attributes become rules. Text in the HTML
 * contains no quotation marks, because the service escapes them.
 */
export function toFrameDocument(html: string, nonce = getNonce()): string {
  const rules: string[] = []
  const marked = html.replace(/ style="([^"]*)"/g, (_attribute, css: string) => {
    rules.push(`[data-style="${rules.length}"]{${css}}`)
    return ` data-style="${rules.length - 1}"`
  })
  const opening = `<style nonce="${nonce}">`
  return marked.replace('<style>', () => `${opening}${rules.join('')}</style>${opening}`)
}
