import { Menu } from '@mantine/core'
import { cloneElement, type ReactElement, type ReactNode, useEffect, useState } from 'react'

interface RowMenuProps {
  /** The button that opens the menu. */
  target: ReactElement<{ onClick?: () => void; autoFocus?: boolean }>
  width?: number
  children: ReactNode
}

/** A menu in a row of a table. Until its first use it is a button only, because a table can have a hundred. */
export function RowMenu({ target, width = 200, children }: RowMenuProps) {
  const [isUsed, setUsed] = useState(false)
  const [opened, setOpened] = useState(false)
  // The button gets the focus first, so that closing the menu returns it there.
  useEffect(() => setOpened(isUsed), [isUsed])
  if (!isUsed) {
    const closed = { onClick: () => setUsed(true), 'aria-haspopup': 'menu', 'aria-expanded': false }
    return cloneElement(target, closed)
  }
  return (
    <Menu position="bottom-end" width={width} opened={opened} onChange={setOpened}>
      <Menu.Target>{cloneElement(target, { autoFocus: true })}</Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}
