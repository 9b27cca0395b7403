// The title of the tab with the count of what arrived while nobody looked.

/** `Ramz phones` → `(3) Ramz phones`; without a count for 0. */
export const titleOf = (title: string, unread: number): string => {
  const bare = title.replace(/^\(\d+\+?\) /, '');
  return unread === 0 ? bare : `(${unread > 99 ? '99+' : unread}) ${bare}`;
};
