# Mint, modify, reserve, publish, withdraw, delete and download with the gem ezid-client; print what came back as JSON.
require "ezid-client"
require "json"
require "zlib"

target = ARGV.fetch(0)
statuses = []
status_of = ->(client, id) { Ezid::Metadata.new(client.get_identifier_metadata(id).metadata)["_status"] }

client = Ezid::Client.new
up = client.server_status.up?
minted = client.mint_identifier("ark:/99999/fk4", { "_target" => target, "erc.who" => "Proust, Marcel" }).id
client.modify_identifier(minted, { "erc.what" => "À la recherche: 100 %\n2" })
found = Ezid::Metadata.new(client.get_identifier_metadata(minted).metadata)
statuses << found["_status"]

deleted = nil
Ezid::Client.new do |session|
  session.create_identifier("ark:/99999/fk5ruby", { "_status" => "reserved" })
  statuses << status_of.call(session, "ark:/99999/fk5ruby")
  session.modify_identifier("ark:/99999/fk5ruby", { "_status" => "public", "_target" => target })
  statuses << status_of.call(session, "ark:/99999/fk5ruby")
  session.modify_identifier("ark:/99999/fk5ruby", { "_status" => "unavailable | withdrawn by author" })
  statuses << status_of.call(session, "ark:/99999/fk5ruby")
  session.create_identifier("ark:/99999/fk5rubydraft", { "_status" => "reserved" })
  deleted = session.delete_identifier("ark:/99999/fk5rubydraft").outcome
end

# Ezid::BatchDownload waits in the same way. With Debian's hashie it also sends parameters without values, which EZID refuses.
address = URI(client.batch_download({ format: "anvl", permanence: "test" }).download_url)
download = Net::HTTP.start(address.host, address.port) do |http|
  60.times do
    break if http.head(address.path).code == "200"
    sleep 1
  end
  Zlib.gunzip(http.get(address.path).body)[0, 14]
end

puts JSON.generate(
  up: up, target: found["_target"], who: found["erc.who"], what: found["erc.what"],
  statuses: statuses, deleted: deleted, download: download
)
