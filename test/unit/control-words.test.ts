// Words that a spending control may use: categories, countries, currencies, zones; and card numbers
// of our own.
import { test } from 'tap'
import { isCountry } from '../../shared/countries.ts'
import { categoryMccs, categoryOf } from '../../shared/mcc-categories.ts'
import { currencyExponent, isCurrency } from '../../shared/money.ts'
import { luhnDigit, newPan } from '../../shared/pan.ts'
import { timeZoneName } from '../../shared/time-zone.ts'

test('categories stand for their codes, and those with own codes for ranges', (t) => {
  const table: { readonly [category: string]: readonly string[] } = {
    grocery_stores_supermarkets: ['5411'],
    eating_places_restaurants: ['5812'],
    fast_food_restaurants: ['5814'],
    service_stations: ['5541'],
    automated_fuel_dispensers: ['5542'],
    automated_cash_disburse: ['6011'],
    manual_cash_disburse: ['6010'],
    wires_money_orders: ['4829'],
    non_fi_money_orders: ['6051'],
    non_fi_stored_value_card_purchase_load: ['6540'],
    betting_casino_gambling: ['7995'],
    hotels_motels_and_resorts: ['3501-3999', '7011'],
    car_rental_agencies: ['3351-3441', '7512'],
    cruise_lines: ['4411'],
    airlines_air_carriers: ['3000-3299', '4511'],
    taxicabs_limousines: ['4121'],
    commuter_transport_and_ferries: ['4111'],
    tolls_bridge_fees: ['4784'],
    parking_lots_garages: ['7523'],
    computer_software_stores: ['5734'],
    digital_goods_games: ['5816'],
    digital_goods_applications: ['5817'],
    digital_goods_large_volume: ['5818'],
    electronics_stores: ['5732'],
    department_stores: ['5311'],
    drug_stores_and_pharmacies: ['5912'],
    hospitals: ['8062'],
    doctors: ['8011'],
    package_stores_beer_wine_and_liquor: ['5921'],
    jewelry_stores_watches_clocks_and_silverware_stores: ['5944'],
    pawn_shops: ['5933'],
    direct_marketing_inbound_telemarketing: ['5967'],
    direct_marketing_subscription: ['5968'],
    dating_escort_services: ['7273'],
    security_brokers_dealers: ['6211'],
    telecommunication_services: ['4814'],
    utilities: ['4900'],
    charitable_and_social_service_organizations_fundraising: ['8398'],
    tax_payments_government_agencies: ['9311'],
    government_services: ['9399'],
    advertising_services: ['7311'],
  }
  for (const [category, codes] of Object.entries(table)) t.same(categoryMccs(category), codes)
  for (const nobody of ['', 'bakerys', 'constructor', '__proto__', 'Bakeries'])
    t.equal(categoryMccs(nobody), null, nobody)
  t.equal(categoryOf('5411'), 'grocery_stores_supermarkets')
  for (const nothing of ['3001', '', '9999']) t.equal(categoryOf(nothing), null, nothing)
  t.end()
})

test('countries are those of ISO 3166, and Kosovo as networks send it', (t) => {
  for (const code of ['US', 'GB', 'DE', 'MX', 'JP', 'XK']) t.ok(isCountry(code), code)
  for (const code of ['ZZ', 'UK', 'us', 'USA', '', 'QZ']) t.notOk(isCountry(code), code)
  t.end()
})

test('currencies are those whose decimals are known', (t) => {
  for (const [code, decimals] of [
    ['USD', 2],
    ['JPY', 0],
    ['KWD', 3],
  ] as const) {
    t.ok(isCurrency(code))
    t.equal(currencyExponent(code), decimals)
  }
  for (const code of ['DEM', 'usd', '', 'toString']) t.notOk(isCurrency(code), code)
  t.end()
})

test('a zone has one name, and an offset is not accepted', (t) => {
  t.same(['utc', 'Etc/UTC', 'GMT0'].map(timeZoneName), ['UTC', 'UTC', 'UTC'])
  t.equal(timeZoneName('europe/BERLIN'), 'Europe/Berlin')
  for (const text of ['+02:00', '', 'Mars/Olympus', 'Europe/Berlin '])
    t.equal(timeZoneName(text), null)
  t.end()
})

test('generated card numbers belong to no issuer and satisfy Luhn', (t) => {
  for (let count = 0; count < 1000; count++) {
    const pan = newPan()
    t.ok(/^999999\d{10}$/.test(pan) && luhnDigit(pan.slice(0, 15)) === Number(pan[15]))
  }
  t.equal(luhnDigit('7992739871'), 3)
  t.end()
})
