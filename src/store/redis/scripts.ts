// All Lua the engine runs, one script per verb. A script is atomic: nothing else happens while it runs. It does not roll
// back, so every script that writes makes all its checks first. Lua compares strings by the server's locale, so bytes are
// compared here.
import { createHash } from 'node:crypto';

export interface Script {
  readonly text: string;
  readonly sha: string;
}

/**
 * `reads` may run when the server accepts no writes; `frees` also when memory is full, because it needs none or frees some.
 * A script that `writes` is refused before it starts when memory is full.
 */
type Mode = 'reads' | 'writes' | 'frees';

const flags: Readonly<Record<Mode, string>> = {
  reads: ' flags=no-writes',
  writes: '',
  frees: ' flags=allow-oom',
};

// KEYS[1] is the meta key and KEYS[2] the log. ARGV[1] is the store's incarnation; ARGV[2] and ARGV[3] are the latest
// revision that the caller has seen and the mark of its batch: a server without them has lost commits.
const guard = String.raw`
local state = redis.call('HMGET', KEYS[1], 'incarnation', 'head', 'mark', 'horizon')
if state[1] ~= ARGV[1] then return redis.error_reply('STATEK_LOST the store is not the one that was opened') end
local head, mark, horizon = tonumber(state[2]), state[3], tonumber(state[4])
do
  local seen = tonumber(ARGV[2])
  local found = mark
  if head < seen then return redis.error_reply('STATEK_LOST the latest revision is ' .. state[2] .. ', after ' .. ARGV[2]) end
  if head > seen and seen > horizon then
    local row = redis.call('XRANGE', KEYS[2], ARGV[2], ARGV[2])[1]
    found = row and row[2][4]
  elseif head > seen then
    found = ARGV[3]
  end
  if seen > 0 and found ~= ARGV[3] then return redis.error_reply('STATEK_LOST revision ' .. ARGV[2] .. ' is another one') end
end
`;

const numbers = String.raw`
local function digits(number) return string.format('%.0f', number) end
local function revisionOf(stored) return stored and tonumber(string.match(stored, '^(%d+):')) or 0 end
-- Orders superseded entries of a key by the revision that replaced them. No key goes on with a zero byte.
local function version(key, revision) return key .. '\0' .. struct.pack('>I8', revision) end
local function below(a, b)
  for index = 1, math.min(#a, #b) do
    local x, y = string.byte(a, index), string.byte(b, index)
    if x ~= y then return x < y end
  end
  return #a < #b
end
`;

const clock = String.raw`
local function now(offset)
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000) + offset, time[1] * 1000000 + time[2]
end
`;

// Reads the collections of a call: how many, then the number and kind of each; its keys are in KEYS.
const collections = String.raw`
local function readCollections(position, keyAt)
  local list = {}
  local types = { [KEYS[2]] = 'stream' }
  for index = 1, tonumber(ARGV[position]) do
    local kind = ARGV[position + 2 * index]
    local one = { id = tonumber(ARGV[position + 2 * index - 1]), values = KEYS[keyAt], order = KEYS[keyAt + 1] }
    types[one.values], types[one.order] = 'hash', 'zset'
    keyAt = keyAt + 2
    if kind == 'v' then
      one.past, one.pastOrder = KEYS[keyAt], KEYS[keyAt + 1]
      types[one.past], types[one.pastOrder] = 'hash', 'zset'
      keyAt = keyAt + 2
    elseif kind == 'w' then
      one.leases, one.free, one.expiry, one.owners = KEYS[keyAt], KEYS[keyAt + 1], KEYS[keyAt + 2], KEYS[keyAt + 3]
      types[one.leases], types[one.free], types[one.expiry], types[one.owners] = 'hash', 'zset', 'zset', 'hash'
      keyAt = keyAt + 4
    end
    list[index] = one
  end
  -- A key of another type would stop the script between two writes.
  for key, wanted in pairs(types) do
    local found = redis.call('TYPE', key).ok
    if found ~= 'none' and found ~= wanted then return nil, redis.error_reply('WRONGTYPE ' .. key .. ' is a ' .. found) end
  end
  return list, position + 2 * #list + 1
end
`;

// A lease is text: token, expiry and owner. Leases that were expired early (expiry 1) are not counted for their owner.
const leases = String.raw`
local function leaseOf(one, key)
  local lease = redis.call('HGET', one.leases, key)
  if not lease then return nil end
  local token, expiry, owner = string.match(lease, '^(%d+) (%d+) (.*)$')
  return tonumber(token), tonumber(expiry), owner
end
local function countOwner(one, owner, by)
  if redis.call('HINCRBY', one.owners, owner, by) <= 0 then redis.call('HDEL', one.owners, owner) end
end
local function setLease(one, key, token, expiry, owner)
  redis.call('HSET', one.leases, key, digits(token) .. ' ' .. digits(expiry) .. ' ' .. owner)
  redis.call('ZADD', one.expiry, expiry, key)
end
local function dropLease(one, key)
  local token, expiry, owner = leaseOf(one, key)
  if token == nil then return end
  redis.call('HDEL', one.leases, key)
  redis.call('ZREM', one.expiry, key)
  if expiry > 1 then countOwner(one, owner, -1) end
end
`;

// Walks the changes of a log row, which log.ts encodes: collection, kind and key, after a checksum of eight characters.
const changes = String.raw`
local function eachChange(row, visit)
  local position = 9
  local function number()
    local value, scale = 0, 1
    while true do
      local byte = string.byte(row, position)
      position = position + 1
      if byte < 128 then return value + byte * scale end
      value, scale = value + (byte - 128) * scale, scale * 128
    end
  end
  while position <= #row do
    local id = number()
    local kind = string.byte(row, position)
    position = position + 1
    local length = number()
    if visit(id, kind, position, length) then return true end
    position = position + length
  end
  return false
end
`;

const versions = String.raw`
local function visible(values, past, pastOrder, key, at)
  local stored = redis.call('HGET', values, key)
  if stored and revisionOf(stored) <= at then return stored end
  local from, to = '(' .. version(key, at), '[' .. key .. '\0\255'
  local member = redis.call('ZRANGEBYLEX', pastOrder, from, to, 'LIMIT', 0, 1)[1]
  local old = member and redis.call('HGET', past, member)
  if old and revisionOf(old) <= at then return old end
  return false
end
`;

/** Opens or creates a store. KEYS: meta, log, collections. ARGV: application, format, incarnation of a new store. */
export const openScript = plain(
  'writes',
  String.raw`
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then
  if redis.call('EXISTS', KEYS[2], KEYS[3]) > 0 then return {'foreign'} end
  redis.call('HSET', KEYS[1], 'application', ARGV[1], 'format', ARGV[2], 'incarnation', ARGV[3],
    'head', 0, 'mark', '', 'horizon', 0, 'token', 0)
elseif kind ~= 'hash' then
  return {'foreign'}
end
return redis.call('HMGET', KEYS[1], 'application', 'format', 'incarnation', 'head', 'mark')
`,
);

export const stateScript = guarded('reads', '', 'return {head, mark, horizon}');

/** KEYS[3] collections. ARGV from 4: name and shape of each. Returns all names and shapes. */
export const declareScript = guarded(
  'writes',
  '',
  String.raw`
local count = redis.call('HLEN', KEYS[3])
for index = 4, #ARGV, 2 do
  if redis.call('HSETNX', KEYS[3], ARGV[index], (count + 1) .. ' ' .. ARGV[index + 1]) == 1 then count = count + 1 end
end
local result = {head, mark, horizon}
for _, text in ipairs(redis.call('HGETALL', KEYS[3])) do result[#result + 1] = text end
return result
`,
);

/** KEYS[3…] values, past, past-keys. ARGV[4] the revision or '', ARGV from 5 the keys. Returns stored entries. */
export const readScript = guarded(
  'reads',
  numbers + versions,
  String.raw`
local result = {head, mark, horizon}
local at = tonumber(ARGV[4])
if at and (at > head or at < horizon) then return result end
for index = 5, #ARGV do
  if at == nil or at == head then result[index - 1] = redis.call('HGET', KEYS[3], ARGV[index])
  else result[index - 1] = visible(KEYS[3], KEYS[4], KEYS[5], ARGV[index], at) end
end
return result
`,
);

/**
 * KEYS[3…] values, keys, past, past-keys. ARGV from 4: revision or '', lower, upper, reverse, limit, bytes, steps. Returns
 * whether there is more, the key after which to go on if the script took many steps, and pairs of key and stored entry.
 */
export const scanScript = guarded(
  'reads',
  numbers + versions,
  String.raw`
local values, order, past, pastOrder = KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local at, lower, upper, reverse = tonumber(ARGV[4]), ARGV[5], ARGV[6], ARGV[7] == '1'
local limit, maxBytes, maxSteps = tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10])
local chunk = math.min(limit + 1, 500)
local result, count, bytes = {head, mark, horizon, 0, false}, 0, 0
if at and (at > head or at < horizon) then return result end

local function page(set, from, to, size)
  if reverse then return redis.call('ZREVRANGEBYLEX', set, to, from, 'LIMIT', 0, size) end
  return redis.call('ZRANGEBYLEX', set, from, to, 'LIMIT', 0, size)
end
local function isFull() return count == limit or bytes >= maxBytes end
local function add(key, stored)
  count = count + 1
  if stored then bytes = bytes + #stored - string.find(stored, ':', 1, true) - 8 end
  result[4 + 2 * count], result[5 + 2 * count] = key, stored
end

local from, to, keys, position, isLast = '[' .. lower, '(' .. upper, {}, 0, false
local function nextCurrent()
  position = position + 1
  if keys[position] == nil then
    if isLast then return nil end
    keys, position = page(order, from, to, chunk), 1
    isLast = #keys < chunk
    local last = keys[#keys]
    if last == nil then return nil end
    if reverse then to = '(' .. last else from = '(' .. last end
  end
  return keys[position]
end

if at == nil or at == head then
  for key in nextCurrent do
    if isFull() then
      result[4] = 1
      return result
    end
    add(key, redis.call('HGET', values, key))
  end
  return result
end

local pastFrom, pastTo = '[' .. lower, '(' .. upper
local function nextPast()
  while true do
    local member = page(pastOrder, pastFrom, pastTo, 1)[1]
    if member == nil then return nil end
    local key = string.sub(member, 1, -10)
    if reverse then pastTo = '(' .. key .. '\0' else pastFrom = '(' .. key .. '\0\255' end
    if below(key, upper) and not below(key, lower) then return key end
  end
end

local current, old, steps = nextCurrent(), nextPast(), 0
while current or old do
  local key = current
  if current == nil or (old ~= nil and old ~= current and below(old, current) ~= reverse) then key = old end
  local stored
  if key == old then
    stored = visible(values, past, pastOrder, key, at)
  else
    stored = redis.call('HGET', values, key)
    if stored and revisionOf(stored) > at then stored = nil end
  end
  if stored then
    if isFull() then
      result[4] = 1
      return result
    end
    add(key, stored)
  end
  steps = steps + 1
  local isCurrent, isOld = key == current, key == old
  if isCurrent then current = nextCurrent() end
  if isOld then old = nextPast() end
  if steps >= maxSteps and (current or old) then
    result[5] = key
    return result
  end
end
return result
`,
);

/** ARGV[4] after which revision, ARGV[5] how many rows. Returns pairs of id and changes. */
export const logScript = guarded(
  'reads',
  numbers,
  String.raw`
local result = {head, mark, horizon}
local after = tonumber(ARGV[4])
if after < horizon then return result end
for _, row in ipairs(redis.call('XRANGE', KEYS[2], digits(after + 1), '+', 'COUNT', ARGV[5])) do
  result[#result + 1] = row[1]
  result[#result + 1] = row[2][2]
end
return result
`,
);

/**
 * Commits a group. KEYS[3] fences, then the keys of collections. ARGV[4] the mark of the batch, ARGV[5] the channel to
 * wake; the rest is encoded by group.ts. Returns one word per transaction: c committed, n committed without a change,
 * x conflict, with the number of the check and what was found.
 */
export const commitScript = guarded(
  'writes',
  numbers + collections + leases + changes,
  String.raw`
if redis.call('ZSCORE', KEYS[3], ARGV[4]) then return redis.error_reply('STATEK_FENCED') end
local list, position = readCollections(6, 4)
if list == nil then return position end
for _, one in ipairs(list) do one.found = {} end
local first, rows, words, isPlain = head + 1, {}, {}, true

local function touches(row, one, lower, upper)
  return eachChange(row, function(id, kind, start, length)
    if id ~= one.id or kind == 2 then return false end
    local key = string.sub(row, start, start + length - 1)
    return not below(key, lower) and below(key, upper)
  end)
end
local function changedSince(one, lower, upper, since)
  if since < horizon then return 'p' .. digits(horizon) end
  if since > head then return 'f' .. digits(head) end
  local from = since + 1
  while from < first do
    local page = redis.call('XRANGE', KEYS[2], digits(from), '+', 'COUNT', 200)
    for _, row in ipairs(page) do
      if touches(row[2][2], one, lower, upper) then return 'c' end
    end
    from = from + 200
  end
  for index, row in ipairs(rows) do
    if first + index - 1 > since and touches(row, one, lower, upper) then return 'c' end
  end
  return nil
end
-- What a check has found is what a write replaces: most keys are checked and then written.
local function storedOf(one, key)
  local stored = one.found[key]
  if stored == nil then
    stored = redis.call('HGET', one.values, key)
    one.found[key] = stored
  end
  return stored
end
local function keepVersion(one, key, revision)
  if not one.past then return end
  local old = storedOf(one, key)
  if not old then return end
  local member = version(key, revision)
  redis.call('HSET', one.past, member, old)
  redis.call('ZADD', one.pastOrder, 0, member)
end
local function put(one, key, value, revision)
  keepVersion(one, key, revision)
  one.found[key] = nil
  if redis.call('HSET', one.values, key, digits(revision) .. ':' .. value) == 1 then
    redis.call('ZADD', one.order, 0, key)
    if one.free then redis.call('ZADD', one.free, 0, key) end
  end
end
local function remove(one, key, revision)
  keepVersion(one, key, revision)
  one.found[key] = nil
  if redis.call('HDEL', one.values, key) == 0 then return end
  redis.call('ZREM', one.order, key)
  if one.free then
    redis.call('ZREM', one.free, key)
    dropLease(one, key)
  end
end
local function firstConflict(checkCount, leaseCount)
  for index = 1, checkCount do
    local one, found = list[tonumber(ARGV[position + 1])], nil
    if ARGV[position] == 'k' then
      local revision = revisionOf(storedOf(one, ARGV[position + 2]))
      if revision ~= tonumber(ARGV[position + 3]) then found = digits(revision) end
      position = position + 4
    else
      found = changedSince(one, ARGV[position + 2], ARGV[position + 3], tonumber(ARGV[position + 4]))
      position = position + 5
    end
    if found then return 'x' .. (index - 1) .. ':' .. found end
  end
  for index = 1, leaseCount do
    local token = leaseOf(list[tonumber(ARGV[position])], ARGV[position + 1])
    if token ~= tonumber(ARGV[position + 2]) then return 'x' .. (checkCount + index - 1) .. ':' end
    position = position + 4
  end
  return nil
end

while position <= #ARGV do
  local next = position + tonumber(ARGV[position])
  local checkCount, leaseCount, writeCount = tonumber(ARGV[position + 1]), tonumber(ARGV[position + 2]), tonumber(ARGV[position + 3])
  local row = ARGV[position + 4]
  position = position + 5
  local word = firstConflict(checkCount, leaseCount)
  if word == nil and row == '' then word = 'n' end
  if word == nil then
    word = 'c'
    head = head + 1
    local leaseAt = position - 4 * leaseCount
    for _ = 1, writeCount do
      local one = list[tonumber(ARGV[position + 1])]
      if ARGV[position] == 'p' then
        put(one, ARGV[position + 2], ARGV[position + 3], head)
        position = position + 4
      else
        remove(one, ARGV[position + 2], head)
        position = position + 3
      end
    end
    for index = 0, leaseCount - 1 do
      local at = leaseAt + 4 * index
      if ARGV[at + 3] == '1' then
        local one, key = list[tonumber(ARGV[at])], ARGV[at + 1]
        if leaseOf(one, key) then
          dropLease(one, key)
          redis.call('ZADD', one.free, 0, key)
        end
      end
    end
    rows[#rows + 1] = row
  else
    isPlain = false
  end
  words[#words + 1] = word
  position = next
end

local outcome = table.concat(words, ' ')
if #rows > 0 then
  mark = ARGV[4]
  for index, row in ipairs(rows) do
    local id = digits(first + index - 1) .. '-0'
    if index == #rows and not isPlain then redis.call('XADD', KEYS[2], id, 'c', row, 'm', mark, 'o', outcome)
    else redis.call('XADD', KEYS[2], id, 'c', row, 'm', mark) end
  end
  redis.call('HSET', KEYS[1], 'head', digits(head), 'mark', mark)
  redis.call('PUBLISH', ARGV[5], '')
end
return {head, mark, horizon, outcome}
`,
);

/**
 * Finds out what became of a batch, and makes sure that it cannot be committed later if it was not yet. KEYS[3] fences.
 * ARGV[4] the mark, ARGV[5] a revision before it. Returns the last revision of the batch and its outcome if it needs one.
 */
export const recoverScript = guarded(
  'frees',
  numbers + clock,
  String.raw`
local from, last, outcome = tonumber(ARGV[5]) + 1, nil, false
while from <= head do
  local page = redis.call('XRANGE', KEYS[2], digits(from), '+', 'COUNT', 200)
  for _, row in ipairs(page) do
    if row[2][4] == ARGV[4] then last, outcome = row[1], row[2][6] or false end
  end
  from = from + 200
end
if last then
  -- A write, because WAITAOF waits for the writes of its own connection only.
  redis.call('HSET', KEYS[1], 'mark', mark)
  return {head, mark, horizon, 'committed', last, outcome}
end
if horizon > tonumber(ARGV[5]) then return {head, mark, horizon, 'unknown'} end
local milliseconds = now(0)
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', milliseconds - 86400000)
redis.call('ZADD', KEYS[3], milliseconds, ARGV[4])
return {head, mark, horizon, 'absent'}
`,
);

/**
 * Releases leases if all of them are held. KEYS[3] fences, then the keys of collections. ARGV[4] the mark, ARGV[5] the channel, ARGV[6] the
 * log row, then collections, then collection, key and token of each. Returns 1, or 0 and the numbers of those held.
 */
export const releaseScript = guarded(
  'writes',
  numbers + collections + leases,
  String.raw`
if redis.call('ZSCORE', KEYS[3], ARGV[4]) then return redis.error_reply('STATEK_FENCED') end
local list, position = readCollections(7, 4)
if list == nil then return position end
local result, total = {head, mark, horizon, 0}, 0
for at = position, #ARGV, 3 do
  if leaseOf(list[tonumber(ARGV[at])], ARGV[at + 1]) == tonumber(ARGV[at + 2]) then result[#result + 1] = total end
  total = total + 1
end
if #result < total + 4 then return result end
for at = position, #ARGV, 3 do
  local one = list[tonumber(ARGV[at])]
  dropLease(one, ARGV[at + 1])
  redis.call('ZADD', one.free, 0, ARGV[at + 1])
end
head, mark = head + 1, ARGV[4]
redis.call('XADD', KEYS[2], digits(head) .. '-0', 'c', ARGV[6], 'm', mark)
redis.call('HSET', KEYS[1], 'head', digits(head), 'mark', mark)
redis.call('PUBLISH', ARGV[5], '')
return {head, mark, horizon, 1}
`,
);

/**
 * Claims free items. KEYS from 3: one work collection. ARGV[4] clock offset, lower, upper, owner, limit, milliseconds, then
 * the collection. Returns key, stored entry, token, expiry and whether the previous lease had expired, for each. Tokens are
 * microseconds, so that they grow even if the server lost the latest claims.
 */
export const claimScript = guarded(
  'writes',
  numbers + clock + collections + leases,
  String.raw`
local list, failure = readCollections(10, 3)
if list == nil then return failure end
local one = list[1]
local time, token = now(tonumber(ARGV[4]))
local lower, upper, owner, limit, duration = ARGV[5], ARGV[6], ARGV[7], tonumber(ARGV[8]), tonumber(ARGV[9])
local expired = {}
for _, key in ipairs(redis.call('ZRANGEBYSCORE', one.expiry, '-inf', digits(time))) do
  if not below(key, lower) and below(key, upper) then expired[#expired + 1] = key end
end
table.sort(expired, below)
local free = redis.call('ZRANGEBYLEX', one.free, '[' .. lower, '(' .. upper, 'LIMIT', 0, digits(limit))
local result, freeAt, expiredAt, last = {head, mark, horizon}, 1, 1, tonumber(redis.call('HGET', KEYS[1], 'token'))
token = math.max(token, last + 1)
local expiry = time + duration
for _ = 1, limit do
  local nextFree, nextExpired = free[freeAt], expired[expiredAt]
  if nextFree == nil and nextExpired == nil then break end
  local key, takenOver = nextFree, 0
  if nextFree == nil or (nextExpired ~= nil and below(nextExpired, nextFree)) then
    key, takenOver, expiredAt = nextExpired, 1, expiredAt + 1
    local _, oldExpiry, oldOwner = leaseOf(one, key)
    if oldExpiry > 1 then countOwner(one, oldOwner, -1) end
  else
    freeAt = freeAt + 1
    redis.call('ZREM', one.free, key)
  end
  setLease(one, key, token, expiry, owner)
  countOwner(one, owner, 1)
  local stored = redis.call('HGET', one.values, key)
  for _, value in ipairs({key, stored, digits(token), digits(expiry), takenOver}) do result[#result + 1] = value end
  last, token = token, token + 1
end
if #result > 3 then redis.call('HSET', KEYS[1], 'token', digits(last)) end
return result
`,
);

/** KEYS from 3: collections. ARGV[4] clock offset, ARGV[5] milliseconds, then collections, then collection, key and token. */
export const renewScript = guarded(
  'frees',
  numbers + clock + collections + leases,
  String.raw`
local list, position = readCollections(6, 3)
if list == nil then return position end
local result, expiry = {head, mark, horizon}, now(tonumber(ARGV[4])) + tonumber(ARGV[5])
for at = position, #ARGV, 3 do
  local one, key = list[tonumber(ARGV[at])], ARGV[at + 1]
  local token, oldExpiry, owner = leaseOf(one, key)
  if token == tonumber(ARGV[at + 2]) then
    if oldExpiry <= 1 then countOwner(one, owner, 1) end
    setLease(one, key, token, expiry, owner)
    result[#result + 1] = digits(expiry)
  else
    result[#result + 1] = false
  end
end
return result
`,
);

/** KEYS[3] a hash. Returns its fields and values. */
export const hashScript = guarded(
  'reads',
  '',
  String.raw`
local result = {head, mark, horizon}
for _, text in ipairs(redis.call('HGETALL', KEYS[3])) do result[#result + 1] = text end
return result
`,
);

/** KEYS[3] the leases of a work collection. ARGV[4] clock offset. Returns the time, and keys and leases. */
export const holdersScript = guarded(
  'reads',
  numbers + clock,
  String.raw`
local time = now(tonumber(ARGV[4]))
local result = {head, mark, horizon, digits(time)}
for _, text in ipairs(redis.call('HGETALL', KEYS[3])) do result[#result + 1] = text end
return result
`,
);

/** Expires the leases of owners. KEYS from 3: one work collection, ARGV from 4: the collection, then owners. */
export const expireScript = guarded(
  'frees',
  numbers + collections + leases,
  String.raw`
local list, position = readCollections(4, 3)
if list == nil then return position end
local one, isDead = list[1], {}
for index = position, #ARGV do isDead[ARGV[index]] = true end
local all = redis.call('HGETALL', one.leases)
for index = 1, #all, 2 do
  local token, expiry, owner = string.match(all[index + 1], '^(%d+) (%d+) (.*)$')
  if isDead[owner] and tonumber(expiry) > 1 then
    setLease(one, all[index], tonumber(token), 1, owner)
    countOwner(one, owner, -1)
  end
end
return {head, mark, horizon}
`,
);

/** Raises the horizon to ARGV[4], at most to the head. */
export const horizonScript = guarded(
  'frees',
  numbers,
  String.raw`
horizon = math.max(horizon, math.min(tonumber(ARGV[4]), head))
redis.call('HSET', KEYS[1], 'horizon', digits(horizon))
return {head, mark, horizon}
`,
);

/**
 * Deletes rows of the log up to the horizon, and the versions they replaced. KEYS from 3: the collections that keep versions.
 * ARGV[4] how many rows, then collections. Returns how many were deleted.
 */
export const pruneScript = guarded(
  'frees',
  numbers + collections + changes,
  String.raw`
local list, failure = readCollections(5, 3)
if list == nil then return failure end
local byId = {}
for _, one in ipairs(list) do byId[one.id] = one end
local page = redis.call('XRANGE', KEYS[2], '-', digits(horizon), 'COUNT', ARGV[4])
local last
for _, row in ipairs(page) do
  last = tonumber(string.match(row[1], '^(%d+)'))
  local bytes = row[2][2]
  eachChange(bytes, function(id, kind, start, length)
    local one = byId[id]
    if one == nil or kind == 2 then return false end
    local member = version(string.sub(bytes, start, start + length - 1), last)
    if redis.call('ZREM', one.pastOrder, member) == 1 then redis.call('HDEL', one.past, member) end
    return false
  end)
end
if last then redis.call('XTRIM', KEYS[2], 'MINID', digits(last + 1)) end
return {head, mark, horizon, #page}
`,
);

/** The sizes of a collection's keys, for verification. KEYS from 3: those keys. */
export const countScript = guarded(
  'reads',
  '',
  String.raw`
local result = {head, mark, horizon}
for index = 3, #KEYS do
  local kind = redis.call('TYPE', KEYS[index]).ok
  result[index + 1] = kind == 'none' and 0 or redis.call(kind == 'zset' and 'ZCARD' or 'HLEN', KEYS[index])
end
return result
`,
);

/** Superseded entries, for verification. KEYS[3] past, KEYS[4] past-keys. ARGV[4] after which member, ARGV[5] how many. */
export const pastScript = guarded(
  'reads',
  '',
  String.raw`
local result, bytes = {head, mark, horizon}, 0
for _, member in ipairs(redis.call('ZRANGEBYLEX', KEYS[4], '(' .. ARGV[4], '+', 'LIMIT', 0, ARGV[5])) do
  if bytes > 4194304 then break end
  local stored = redis.call('HGET', KEYS[3], member)
  bytes = bytes + (stored and #stored or 0)
  result[#result + 1] = member
  result[#result + 1] = stored
end
return result
`,
);

/** Begins to fill a store. ARGV[4] who fills it. Returns 1, or 0 if it is not empty. */
export const loadBeginScript = guarded(
  'writes',
  '',
  String.raw`
if head > 0 then return {head, mark, horizon, 0} end
redis.call('HSET', KEYS[1], 'loading', ARGV[4])
return {head, mark, horizon, 1}
`,
);

/**
 * Ends it. KEYS from 3: pairs of the name that a key was filled under and its own. ARGV[4] who filled it, ARGV[5] the revision,
 * ARGV[6] the horizon, ARGV[7] the latest token, ARGV[8] the channel to wake. Returns 1, or 0 if it is not empty any more, or
 * another one began to fill it.
 */
export const loadFinishScript = guarded(
  'writes',
  '',
  String.raw`
if head > 0 or redis.call('HGET', KEYS[1], 'loading') ~= ARGV[4] then return {head, mark, horizon, 0} end
for index = 3, #KEYS, 2 do
  if redis.call('EXISTS', KEYS[index]) == 1 then redis.call('RENAME', KEYS[index], KEYS[index + 1]) end
end
head, mark, horizon = tonumber(ARGV[5]), ARGV[4], tonumber(ARGV[6])
if head == 0 then mark = '' end
redis.call('HSET', KEYS[1], 'head', ARGV[5], 'mark', mark, 'horizon', ARGV[6], 'token', ARGV[7])
redis.call('HDEL', KEYS[1], 'loading')
redis.call('PUBLISH', ARGV[8], '')
return {head, mark, horizon, 1}
`,
);

function guarded(mode: Mode, library: string, body: string): Script {
  return plain(mode, `${guard}${library}${body}`);
}

function plain(mode: Mode, body: string): Script {
  const text = `#!lua${flags[mode]}\n${body}`;
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}
