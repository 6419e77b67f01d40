import { Children, type ReactNode } from 'react'
import { findFormat } from '../text/translate.ts'

type RichValue = string | number | Date | ReactNode | ((content: ReactNode[]) => ReactNode)

/** A text with elements: `rich('Read the <a>guide</a>', { a: (content) => <Anchor href="/guide">{content}</Anchor> })`. */
export const rich = (text: string, values: Readonly<Record<string, RichValue>>): ReactNode =>
  Children.toArray(findFormat(text).format<ReactNode>(values as never))
