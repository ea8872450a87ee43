-- The decision of the peer with Redis: checked, reserved and answered in one step nothing comes between.
-- KEYS: what names the card, the decision of the message. What else is read is named by the card; there is one Redis, no
-- cluster.
-- A decision is a text: content, transaction, reason, code, then what is recorded beside them.
local content, amount, mcc, country = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local day, week = tonumber(ARGV[5]), tonumber(ARGV[6])

local kept = redis.call('GET', KEYS[2])
if kept then return kept end

-- Whether the card and whose it is allow anything; nil where they do.
local function objection(card)
  if not card[1] then return 'card_not_found' end
  local holder = redis.call('HMGET', card[8], 'status', 'frozen')
  if redis.call('HGET', card[7], 'status') ~= 'active' then return 'program_suspended' end
  if card[2] == 'issued' then return 'card_not_activated' end
  if card[2] == 'terminated' then return 'card_terminated' end
  if card[2] ~= 'active' then return 'card_suspended' end
  if math.floor(day / 100) > card[4] * 100 + card[3] then return 'card_expired' end
  if holder[2] == '1' then return 'cardholder_frozen' end
  if holder[1] ~= 'active' then return 'cardholder_inactive' end
  if (ARGV[7] ~= '' and card[3] ~= ARGV[7]) or (ARGV[8] ~= '' and card[4] ~= ARGV[8]) then return 'expiry_mismatch' end
  if ARGV[9] ~= '' and card[5] ~= ARGV[9] then return 'cvc_mismatch' end
  if card[6] ~= ARGV[10] then return 'currency_blocked' end
  return nil
end

-- What a subject has spent in the windows of this day: day, week, month, year, ever.
local function spentBy(subject)
  local s = redis.call('HMGET', 'spent:' .. subject, 'day', 'week', 'd', 'w', 'm', 'y', 'a')
  if not s[1] then return { 0, 0, 0, 0, 0 } end
  local last = tonumber(s[1])
  return {
    last == day and tonumber(s[3]) or 0,
    tonumber(s[2]) == week and tonumber(s[4]) or 0,
    math.floor(last / 100) == math.floor(day / 100) and tonumber(s[5]) or 0,
    math.floor(last / 10000) == math.floor(day / 10000) and tonumber(s[6]) or 0,
    tonumber(s[7]),
  }
end

local INTERVALS = { 'limit_daily', 'limit_weekly', 'limit_monthly', 'limit_yearly', 'limit_all_time' }

-- Lists are texts as `,5411,5412,`; a limit that is not set is not there.
local function refusal(policy, spent)
  if policy[1] and string.find(policy[1], ',' .. mcc .. ',', 1, true) then return 'merchant_category_blocked' end
  if policy[2] and string.find(policy[2], ',' .. country .. ',', 1, true) then return 'merchant_country_blocked' end
  if policy[3] and amount > tonumber(policy[3]) then return 'limit_per_authorization' end
  for at = 1, 5 do
    local limit = policy[at + 3]
    if limit and spent[at] + amount > tonumber(limit) then return INTERVALS[at] end
  end
  return nil
end

local cardId = redis.call('GET', KEYS[1])
local card = cardId and redis.call('HMGET', 'card:' .. cardId, 'id', 'status', 'exp_month', 'exp_year', 'cvc', 'currency', 'program', 'cardholder', 'bound') or {}
local reason = objection(card)
local spending = {}
if not reason then
  -- Which of program, cardholder and card are bound by anything, in this order.
  for subject in string.gmatch(card[9], '%S+') do
    local policy = redis.call('HMGET', 'policy:' .. subject, 'mccs', 'countries', 'per_authorization', 'd', 'w', 'm', 'y', 'a')
    local spent = spentBy(subject)
    reason = refusal(policy, spent)
    if reason then break end
    spending[#spending + 1] = { subject, spent }
  end
end

if not reason then
  for _, one in ipairs(spending) do
    local spent = one[2]
    redis.call('HSET', 'spent:' .. one[1], 'day', ARGV[5], 'week', ARGV[6],
      'd', string.format('%.0f', spent[1] + amount), 'w', string.format('%.0f', spent[2] + amount),
      'm', string.format('%.0f', spent[3] + amount), 'y', string.format('%.0f', spent[4] + amount),
      'a', string.format('%.0f', spent[5] + amount))
  end
end

local decision = table.concat({ content, ARGV[11], reason or '', reason and '' or ARGV[12], card[1] or '', ARGV[2], ARGV[10], ARGV[13] }, '\n')
redis.call('SET', KEYS[2], decision, 'EX', ARGV[14])
return decision
