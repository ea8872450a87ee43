// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {Base64} from "@openzeppelin/contracts/utils/Base64.sol";
import {P256} from "@openzeppelin/contracts/utils/cryptography/P256.sol";
import {WebAuthn} from "@openzeppelin/contracts/utils/cryptography/WebAuthn.sol";
import {HolderAccount} from "../HolderAccount.sol";
import {Settlement} from "../Settlement.sol";
import {UsdToken} from "../sandbox/UsdToken.sol";

/// forge's cheat codes that these tests use.
interface Vm {
    function signP256(uint256 privateKey, bytes32 digest) external pure returns (bytes32 r, bytes32 s);
    function publicKeyP256(uint256 privateKey) external pure returns (uint256 x, uint256 y);
    function warp(uint256 timestamp) external;
    function prank(address sender) external;
    function expectRevert(bytes calldata data) external;
    function expectRevert() external;
    function assume(bool condition) external pure;
    function expectEmit(bool topic1, bool topic2, bool topic3, bool data, address emitter) external;
}

/// Contracts as the sandbox deploys them, and passkeys that sign as a browser's authenticator does.
abstract contract Stand {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    address internal constant OWNER = address(0xA11CE);
    address internal constant SPONSOR = address(0x5905);
    address internal constant TREASURY = address(0x7EA5);
    address internal constant SHOP = address(0x5409);
    uint256 internal constant START = 1_800_000_000;

    UsdToken internal token;
    Settlement internal settlement;

    function _deploy() internal {
        vm.warp(START);
        token = new UsdToken(address(this));
        settlement = new Settlement(token, OWNER, SPONSOR, TREASURY);
    }

    function _approval(uint256 key, uint96 limit) internal pure returns (Settlement.Approval memory) {
        (uint256 x, uint256 y) = vm.publicKeyP256(key);
        return Settlement.Approval(
            bytes32(x), bytes32(y), address(0), SHOP, limit, uint64(START + 8 days), bytes32(uint256(limit))
        );
    }

    function _accountOf(Settlement.Approval memory approval) internal view returns (address) {
        return settlement.accountOf(approval.x, approval.y, approval.recovery);
    }

    /// Flags: 0x01 user present, 0x04 user verified.
    function _assert(uint256 key, bytes32 challenge, bytes1 flags)
        internal
        pure
        returns (WebAuthn.WebAuthnAuth memory assertion)
    {
        assertion.authenticatorData = abi.encodePacked(keccak256("localhost"), flags, uint32(1));
        assertion.clientDataJSON = string.concat(
            '{"type":"webauthn.get","challenge":"',
            Base64.encodeURL(abi.encodePacked(challenge)),
            '","origin":"http://localhost:8080","crossOrigin":false}'
        );
        (assertion.typeIndex, assertion.challengeIndex) = (1, 23);
        bytes32 digest = sha256(
            abi.encodePacked(assertion.authenticatorData, sha256(bytes(assertion.clientDataJSON)))
        );
        (bytes32 r, bytes32 s) = vm.signP256(key, digest);
        if (uint256(s) > P256.N / 2) s = bytes32(P256.N - uint256(s));
        (assertion.r, assertion.s) = (r, s);
    }

    function _capture(uint256 key, Settlement.Approval memory approval, uint8 index, uint96 amount)
        internal
        view
        returns (Settlement.Capture memory)
    {
        bytes32 hash = settlement.approvalHash(approval);
        return Settlement.Capture(approval, index, amount, _assert(key, hash, 0x05));
    }

    function _one(Settlement.Capture memory capture) internal pure returns (Settlement.Capture[] memory captures) {
        captures = new Settlement.Capture[](1);
        captures[0] = capture;
    }

    function _settle(bytes32 batch, Settlement.Capture[] memory captures) internal {
        vm.prank(SPONSOR);
        settlement.settle(batch, SHOP, captures, new Settlement.Refund[](0), 0);
    }

    /// A refund whose id has bytes of chance before its bit, as ours have.
    function _back(Settlement.Approval memory approval, uint8 index, uint96 amount)
        internal
        pure
        returns (Settlement.Refund memory)
    {
        bytes32 chance = keccak256(abi.encode(approval, index));
        return Settlement.Refund((chance & ~bytes32(uint256(0xff))) | bytes32(uint256(index)), approval, amount);
    }

    function _refund(bytes32 batch, Settlement.Refund memory refund) internal {
        Settlement.Refund[] memory refunds = new Settlement.Refund[](1);
        refunds[0] = refund;
        vm.prank(SPONSOR);
        settlement.settle(batch, SHOP, new Settlement.Capture[](0), refunds, 0);
    }

    function _equal(uint256 one, uint256 other, string memory words) internal pure {
        require(one == other, words);
    }
}
