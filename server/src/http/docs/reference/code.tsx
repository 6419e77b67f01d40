import type { ComponentChildren } from 'preact'

/** Strings, comments, words of the languages of the examples, and numbers. */
const TOKEN =
  /("(?:[^"\\]|\\.)*"(?:\s*:)?|'(?:[^'\\]|\\.)*'|`[^`]*`)|((?:^|\s)#.*)|\b(await|const|curl|defer|else|err|false|False|if|import|new|nil|None|null|return|throw|true|True|var)\b|\b(\d+(?:\.\d+)?)\b/gm
const CLASSES = ['hljs-string', 'hljs-comment', 'hljs-keyword', 'hljs-number']

/** The classes are those of highlight.js, which colors the code of the guide when it is built. */
export function highlight(code: string): ComponentChildren[] {
  const parts: ComponentChildren[] = []
  let end = 0
  for (const { 0: text, index, ...groups } of code.matchAll(TOKEN)) {
    const kind = [1, 2, 3, 4].findIndex((group) => groups[group] !== undefined)
    const name = text.endsWith(':') ? 'hljs-attr' : CLASSES[kind]
    parts.push(code.slice(end, index), <span class={name}>{text}</span>)
    end = index + text.length
  }
  return [...parts, code.slice(end)]
}

interface CodeProps {
  title: ComponentChildren
  code: string
  language: string
}

/** The script of the page adds a button that copies the code. */
export const Code = ({ title, code, language }: CodeProps) => (
  <figure class="code-box" data-language={language} data-copy>
    <figcaption>{title}</figcaption>
    <pre>
      <code>{highlight(code)}</code>
    </pre>
  </figure>
)
