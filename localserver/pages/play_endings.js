// The ending of a part, and the ways to continue.

// An end describes the ending of a part: outcome, the ending's name ('' without one), the state,
// score and decision of the last reply, before (state, score and redirects before that reply), said
// (the player's last message), and isLive (whether the player has just reached it).

// whyEnded returns why a part was won or lost. It must give the same reasons as endingReason of the
// chat in the terminal. %score in the texts is replaced by the score.
const whyEnded = (m, end) => {
  const words = whyWords(m, end)
  return words.replace('%score', end.score).replace('%enough', m.threshold).replace('%n', end.before.score - end.score).replace('%said', () => shorten(end.said))
}
const whyWords = (m, end) => {
  const why = persona.why, { before } = end, left = triesLeft(m, before.state, before.redirects)
  const isNo = end.decision ? end.decision === 'reject' : end.score <= before.score
  const isTooLow = m.scored && m.last.includes(end.state) && end.score < m.threshold
  if (end.outcome === 'KICK_OUT') return why.thrown_out
  if (end.outcome === 'ACCEPT' && (!m.scored || end.score < m.threshold)) return why.said_yes
  if (end.outcome === 'ACCEPT') return end.decision === 'reject' ? why.yet_reached : why.reached
  if (end.outcome !== 'REJECT') return ''
  if (m.scored && end.score <= m.bound) return why.fell
  if (left === 1 && end.score <= before.score) return why.out_of_tries
  if (isTooLow && !isNo) return why.too_low
  if (isTooLow) return end.score < before.score ? why.missed_cost : why.missed_low
  return left > 1 ? why.no_tries : why.ended_by_no
}
const mostQuoted = 60
const shorten = (text) => {
  const letters = [...text.trim().replace(/\s+/g, ' ')]
  return letters.length > mostQuoted ? letters.slice(0, mostQuoted - 1).join('') + '…' : letters.join('')
}
// endOf returns the end of the part in a history.
const endOf = (history) => {
  const messages = history.messages, replies = messages.filter((m) => m.role === 'assistant')
  let before = { state: '', score: 0, redirects: 0 }, after = before
  for (const reply of replies) {
    before = after
    after = standingAfter(before, reply)
  }
  const last = replies[replies.length - 1] || {}
  const said = messages.filter((m) => m.role === 'user').pop()
  return { outcome: history.outcome, name: history.ending || '', state: history.current_state, score: history.score, decision: last.decision, before, said: said ? said.content : '', isLive: false, messages }
}

// closing draws an ending. Screen readers announce only its title and reason, once, through tell,
// and then the button that has the focus.
const closing = (m, end) => {
  const { kind, title: words } = persona.endings[end.outcome] || { kind: '', title: 'The end' }
  const title = end.name ? words + ': ' + end.name : words
  const card = make('section', 'end ' + kind, make('h2', '', title))
  card.setAttribute('aria-label', title)
  card.setAttribute('aria-live', 'off')
  const why = whyEnded(m, end)
  if (why) card.append(make('p', 'why', why))
  if (m.scored && !whyWords(m, end).includes('%score')) card.append(make('p', '', 'Your score: ' + end.score + ', needed: ' + m.threshold + '.'))
  return put(card)
}
// retire disables the buttons of earlier endings.
const retire = () => { for (const button of log.querySelectorAll('.end button')) button.disabled = true }
const ending = async (end, unlocked) => {
  ended = true
  const m = machine(), card = closing(m, end), ways = make('div', 'ways')
  const isNew = addFound([me.machine + '/' + end.outcome + (end.name && '/' + end.name)])
  const found = foundWords(end.isLive ? isNew : undefined)
  if (found) card.append(make('p', 'found', found))
  keep()
  // A key that is held down since the last message must not choose a button.
  card.onkeydown = (event) => { if (event.repeat) event.preventDefault() }
  $('send').hidden = true
  // Nothing continues automatically. The machine that the author links to comes first and has the
  // focus.
  const next = persona.leads[me.machine]
  unlocked.sort((a, b) => (b === next) - (a === next))
  const opened = openedWords(end, unlocked)
  if (opened) card.append(make('p', 'opened', opened))
  const words = [card.firstElementChild.textContent + '.', whyEnded(m, end), found, opened]
  const [parts, back] = await Promise.all([openParts(), findTurn(m, end)])
  const others = unlocked.length > 0 ? [] : parts.filter((part) => part.machine_id !== me.machine && !part.session_outcome)
  const over = unlocked.length + others.length > 0 || parts.length === 0 ? '' : storyOver(end, parts.length)
  if (over) card.append(make('p', 'over', over))
  for (const id of unlocked) ways.append(way(id, true))
  for (const other of others) ways.append(way(other.machine_id, false))
  ways.append(wayButton(ways.children.length === 0 ? 'first' : '', 'Begin this part again', () => restart(true)))
  if (back) ways.append(wayButton('', back.words, () => goBack(back)))
  card.append(ways)
  tell([...words, over].filter(Boolean).join(' '))
  choose(ways)
}
// openedWords returns a sentence about the machines that an ending has unlocked.
const openedWords = (end, unlocked) => {
  const titles = unlocked.map(name), last = titles.pop()
  const words = persona.opened[(persona.endings[end.outcome] || {}).kind] || persona.opened.won
  return last ? words.replace('%title', () => (titles.length > 0 ? titles.join(', ') + ' and ' : '') + last) : ''
}
// storyOver returns the sentence for a story without a part left to play. It must give the same
// texts as EndWords of the chat in the terminal. opened is the number of unlocked parts.
const storyOver = (end, opened) => {
  const isWhole = (persona.endings[end.outcome] || {}).kind !== 'lost' && opened >= machines.size
  return !isWhole ? persona.over.lost : machines.size === 1 ? persona.over.whole : persona.over.last
}

// ---- back to the turning point ----
const mostReplayed = 40
// turnsOf returns the player's messages, each with the state and score after it.
const turnsOf = (messages) => messages.flatMap((m, i) => i > 0 && m.role === 'assistant' && messages[i - 1].role === 'user'
  ? [{ text: messages[i - 1].content, state: m.state_key_at_time, score: m.score_at_time }] : [])
// findTurn finds the turning point of a lost part: the last time that the player entered a state
// from which the part could still be won. It returns null for any other ending, and if the turning
// point is the beginning, because then starting again is sufficient.
const findTurn = async (m, end) => {
  if ((persona.endings[end.outcome] || {}).kind !== 'lost') return null
  const messages = end.messages || await historyOf(me.machine).then((history) => history.messages, () => [])
  const turns = turnsOf(messages), came = turns.map((turn, i) => i === 0 ? messages[0].state_key_at_time : turns[i - 1].state)
  let n = turns.length - 1
  while (n > 0 && (turns[n - 1].state === came[n - 1] || !(turns[n - 1].score >= m.wins[turns[n - 1].state]))) n--
  if (n <= 0 || n > mostReplayed) return null
  const title = m.states[turns[n - 1].state] || turns[n - 1].state
  const words = (n === 1 ? persona.back.one : persona.back.many).replace('%n', n).replace('%title', () => title)
  return { turns: turns.slice(0, n), words, title }
}
// goBack starts the part again and repeats the player's messages up to the turning point.
const goBack = async (back) => {
  if (!await restart(true)) return
  for (const turn of back.turns) {
    if (busy || !await say(turn.text)) return
    if (ended) return
    if (state !== turn.state || score !== turn.score) return note(persona.back.otherwise)
  }
  note(persona.back.here.replace('%title', () => back.title))
}
const note = (words) => { put(make('p', 'turn', words)) }

// ---- ways to continue ----
// choose moves the focus to the first button of an ending, and shows the whole ending.
const choose = (ways) => {
  down()
  ways.firstElementChild.focus({ preventScroll: true })
}
const name = (id) => (machines.get(id) || { name: 'the next part' }).name
const wayButton = (kind, words, act) => {
  const button = make('button', kind, words)
  button.type = 'button'
  button.onclick = act
  return button
}
const way = (id, isFirst) => wayButton(isFirst ? 'first' : '', 'Go on to ' + name(id), () => open(id))
// openParts returns the unlocked parts, or an empty list after an error.
const openParts = () => read('GET', progressPath('available-machines'), { user_session_id: me.user }).catch(() => [])
